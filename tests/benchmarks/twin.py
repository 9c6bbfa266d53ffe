"""A program in, a twin of it out whose every equation writes its number where XLA keeps it: the truth about links.

The twin is the same jaxpr with `~SCOPE.EQUATION~` at the end of each equation's name stack. What XLA makes of it
carries the number in its op_name, whatever it does with the frames.
"""

from __future__ import annotations

import re
from typing import Any

import jax
from jax.extend.core import jaxpr_as_fun

from jupyter_jaxpr.program.jaxpr import Walk
from jupyter_jaxpr.program.parameters import open_jaxpr

_TAG = re.compile(r"~(\d+)\.(\d+)~")


def twin(walk: Walk, jaxpr: Any) -> Any:
    """The twin as a `jax.stages.Lowered`.

    Args:
        walk: Where the program was walked: the numbers are its.
        jaxpr: The program, a Jaxpr or ClosedJaxpr.
    """
    tagged = _Tagger(walk).of(jaxpr)
    return jax.jit(jaxpr_as_fun(tagged), keep_unused=True).trace(*jaxpr.in_avals).lower()


def truth(op_name: str) -> set[tuple[int, int]]:
    """The equations that a name tells: scope and equation, the innermost of each of its parts."""
    found = set()
    for part in op_name.split(";"):
        tags = _TAG.findall(part)
        if tags:
            found.add((int(tags[-1][0]), int(tags[-1][1])))
    return found


def untagged(op_name: str) -> str:
    """A name as XLA would write it of the program itself."""
    return _TAG.sub("", op_name)


class _Tagger:
    def __init__(self, walk: Walk) -> None:
        self._numbers = {id(jaxpr): number for number, jaxpr in enumerate(walk.jaxprs)}
        self._done: dict[int, Any] = {}

    def of(self, value: Any) -> Any:
        """A parameter's value with the programs in it tagged."""
        if type(value) is tuple:  # not a named one
            return tuple(self.of(each) for each in value)
        opened = open_jaxpr(value)
        if opened is None:
            return value
        if opened is not value:
            return value.replace(jaxpr=self.of(opened))
        number = self._numbers.get(id(value))
        if number is None:
            return value
        if number not in self._done:
            equations = [
                equation.replace(
                    source_info=equation.source_info.replace(
                        name_stack=equation.source_info.name_stack.extend(f"~{number}.{index}~")
                    ),
                    params={name: self.of(each) for name, each in equation.params.items()},
                )
                for index, equation in enumerate(value.eqns)
            ]
            self._done[number] = value.replace(eqns=equations)
        return self._done[number]
