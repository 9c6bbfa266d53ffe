"""Finds the programs that the equations of a program hold, such as those of jitted functions that it calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..plain_text import kind_name

# The classes of JAX's programs; a parameter of another class, which may be the user's, is not read.
_PROGRAMS = frozenset({"Jaxpr", "ClosedJaxpr"})


def called_programs(jaxpr: Any) -> list[Any]:
    """Return the programs in the parameters of the equations of a program, at all depths, each once.

    JAX puts its cached trace of a jitted function into the trace of the caller as the same object, unless a
    transformation makes another program of it.
    """
    found: dict[int, Any] = {}
    waiting = [jaxpr]
    while waiting:
        for equation in waiting.pop().eqns:
            for program in _programs(equation.params.values()):
                if id(program) not in found:
                    found[id(program)] = program
                    waiting.append(program)
    return list(found.values())


def _programs(values: Any) -> Iterator[Any]:
    for value in values:
        if type(value) in (tuple, list):
            yield from _programs(value)
        elif kind_name(type(value)) in _PROGRAMS:
            yield value
