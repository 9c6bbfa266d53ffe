"""Makes the tagged twin of a program, whose every equation writes its number where XLA keeps it, and reads the tags.

The twin is the same jaxpr with `~SCOPE.EQUATION~` in each equation's name stack. What JAX and XLA make of it carries
the number in the names of its operations, whatever they do with the frames, and nothing else of it is different. With
the numbers taken out, a name is what it would be without them: a number stands behind the last part of its equation's
stack, so that it is inside whatever a transform wraps around that part; where the stack is empty, it is a part of its
own, begun by two tildes.
"""

from __future__ import annotations

import re
from typing import Any

from ..jaxpr.parameters import open_jaxpr
from ..jaxpr.walk import Equation, Walk

_NUMBER = re.compile(r"~(\d+)\.(\d+)~")
_WRITTEN = re.compile(r'/~~\d+\.\d+~(?=[";]|$)|~~\d+\.\d+~/?|~\d+\.\d+~')
#: A tag alone in the brackets of transforms, and the name after them: `jvp(~~0.3~)/sin` is `jvp(sin)` without tags.
_WRAPPED = re.compile(r"~~\d+\.\d+~(\)+)/((?:[^/()\"]|\([^()\"]*\))+)(?=/)")


def tagged(walk: Walk, scope: int, jaxpr: Any) -> Any:
    """Return the twin of a program, of the same type; nothing is traced.

    Args:
        walk: The walk of the program; a tag has the walk's numbers of a scope and of an equation in the scope.
        scope: The scope of the program in the walk.
        jaxpr: The program, a Jaxpr or ClosedJaxpr.

    Raises:
        ValueError: The program is not the program of the walk.
    """
    numbers = {id(walk.jaxprs[number]): number for number in scopes_of(walk, scope)}
    if id(open_jaxpr(jaxpr)) not in numbers:
        raise ValueError("the program is not the one that was walked")
    return _Tagger(numbers).of(jaxpr)


def equations_named(name: str) -> list[Equation]:
    """Return the equations that the tags in the name of an operation name: several if XLA joined operations.

    For nested equations, the list has only the innermost.
    """
    equations: dict[Equation, None] = {}
    for part in name.split(";"):
        numbers = _NUMBER.findall(part)
        if numbers:
            equations[int(numbers[-1][0]), int(numbers[-1][1])] = None
    return list(equations)


def untagged(text: str) -> str:
    """Return a text without the tags, as JAX or XLA would write the text of the original program."""
    if "~" not in text:
        return text
    moved = 1
    while moved:
        text, moved = _WRAPPED.subn(r"\2\1", text)
    return _WRITTEN.sub("", text)


def scopes_of(walk: Walk, scope: int) -> list[int]:
    """Return the scopes of a program."""
    scopes, visited = [scope], {scope}
    for number in scopes:
        for *_, child in walk.scopes[number].children:
            if child not in visited:
                visited.add(child)
                scopes.append(child)
    return scopes


class _Tagger:
    """Tags each jaxpr once: JAX lowers one jaxpr object once, so its tagged copy must also be one object."""

    def __init__(self, numbers: dict[int, int]) -> None:
        self._numbers = numbers
        self._done: dict[int, Any] = {}
        #: The objects whose ids are the keys of `_done`; the list keeps the objects alive.
        self._alive: list[Any] = []

    def of(self, value: Any) -> Any:
        """Return a parameter's value with tagged programs; the value itself if it holds no program."""
        if isinstance(value, tuple):
            new_items = tuple(self.of(item) for item in value)
            if all(new_item is old_item for new_item, old_item in zip(new_items, value, strict=True)):
                return value
            # A named tuple, such as the parameter `jaxprs` of custom_linear_solve.
            return new_items if type(value) is tuple else type(value)(*new_items)
        opened = open_jaxpr(value)
        if opened is None:
            return value
        if id(value) not in self._done:
            self._done[id(value)] = self._closed(value, opened) if opened is not value else self._open(value)
            self._alive.append(value)
        return self._done[id(value)]

    def _closed(self, value: Any, opened: Any) -> Any:
        inner = self.of(opened)
        return value if inner is opened else value.replace(jaxpr=inner)

    def _open(self, value: Any) -> Any:
        number = self._numbers.get(id(value))
        if number is None:
            return value
        return value.replace(
            eqns=[
                equation.replace(
                    source_info=equation.source_info.replace(
                        name_stack=_marked(equation.source_info.name_stack, f"~{number}.{index}~")
                    ),
                    params={name: self.of(parameter) for name, parameter in equation.params.items()},
                )
                for index, equation in enumerate(value.eqns)
            ]
        )


def _marked(stack: Any, tag: str) -> Any:
    """Return a name stack with a tag behind its last part."""
    if not stack.stack:
        return stack.extend(f"~{tag}")
    *outer, last = stack.stack
    return type(stack)((*outer, last._replace(name=last.name + tag)))
