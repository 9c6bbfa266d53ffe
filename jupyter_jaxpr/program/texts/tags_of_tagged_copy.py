"""Makes the tagged twin of a program, in which each equation has its number in its name stack, and reads the tags.

The twin is the same jaxpr with `~SCOPE.EQUATION~` in each equation's name stack. JAX and XLA copy the number into the
names of the operations that they make of the equation, even where they lose its frames; nothing else differs from the
program. Removing the tags gives exactly the names of the original program: a tag stands behind the last part of the
name stack, inside of whatever a transform wraps around this part. If the name stack is empty, the tag is a part of its
own and begins with two tildes.
"""

from __future__ import annotations

import re
from typing import Any

from ..jaxpr.parameters import open_jaxpr
from ..jaxpr.walk import Equation, Walk

_NUMBER = re.compile(r"~(\d+)\.(\d+)~")
_WRITTEN = re.compile(r'/~~\d+\.\d+~(?=[";]|$)|~~\d+\.\d+~/?|~\d+\.\d+~')
#: Matches a tag that is alone inside the brackets of transforms, and the name after it: `jvp(~~0.3~)/sin` is `jvp(sin)`
#: without tags.
_WRAPPED = re.compile(r"~~\d+\.\d+~(\)+)/((?:[^/()\"]|\([^()\"]*\))+)(?=/)")


def tagged(walk: Walk, scope: int, jaxpr: Any) -> Any:
    """Return the tagged twin of a jaxpr, of the same class; nothing is traced.

    Args:
        walk: The `Walk` that has read the program; a tag has the index of a scope in the `Walk`, and of an equation in
            this scope.
        scope: The scope of the program in the `Walk`.
        jaxpr: The program, a Jaxpr or ClosedJaxpr.

    Raises:
        ValueError: The `Walk` has read another jaxpr.
    """
    numbers = {id(walk.jaxprs[number]): number for number in scopes_of(walk, scope)}
    if id(open_jaxpr(jaxpr)) not in numbers:
        raise ValueError("the program to tag is not the program that jupyter_jaxpr read")
    return _Tagger(numbers).of(jaxpr)


def equations_named(name: str) -> list[Equation]:
    """Return the equations in the tags of an op_name; there are several if XLA joined operations.

    Of nested equations, only the innermost is returned.
    """
    equations: dict[Equation, None] = {}
    for part in name.split(";"):
        numbers = _NUMBER.findall(part)
        if numbers:
            equations[int(numbers[-1][0]), int(numbers[-1][1])] = None
    return list(equations)


def untagged(text: str) -> str:
    """Return a text without tags, which is the text that JAX or XLA would print for the original program."""
    if "~" not in text:
        return text
    moved = 1
    while moved:
        text, moved = _WRAPPED.subn(r"\2\1", text)
    return _WRITTEN.sub("", text)


def scopes_of(walk: Walk, scope: int) -> list[int]:
    """Return the scope of a program and all scopes inside that scope."""
    scopes, visited = [scope], {scope}
    for number in scopes:
        for *_, child in walk.scopes[number].children:
            if child not in visited:
                visited.add(child)
                scopes.append(child)
    return scopes


class _Tagger:
    """Makes the tagged copy of each jaxpr once.

    JAX lowers a jaxpr object that occurs several times only once, so its copy must also be one object.
    """

    def __init__(self, numbers: dict[int, int]) -> None:
        self._numbers = numbers
        self._done: dict[int, Any] = {}
        #: the objects whose ids are keys of `_done`, kept alive so that the ids stay unique
        self._alive: list[Any] = []

    def of(self, value: Any) -> Any:
        """Return a parameter's value with its inner programs tagged; a value without programs is returned unchanged."""
        if isinstance(value, tuple):
            new_items = tuple(self.of(item) for item in value)
            if all(new_item is old_item for new_item, old_item in zip(new_items, value, strict=True)):
                return value
            # A named tuple, such as the parameter `jaxprs` of custom_linear_solve, takes its items as arguments.
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
