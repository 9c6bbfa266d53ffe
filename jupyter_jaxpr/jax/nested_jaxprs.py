"""Finds the inner programs of a program, such as those of the jitted functions that it calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..plain_text import kind_name

# The class names of JAX's programs. Parameters of other classes are not read, because they may be the user's.
_PROGRAMS = frozenset({"Jaxpr", "ClosedJaxpr"})


def called_programs(jaxpr: Any) -> list[Any]:
    """Return all inner programs of a program, at any depth, each once.

    JAX's cached trace of a jitted function appears in the caller's program as the same object, unless a transform
    changed it.
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
