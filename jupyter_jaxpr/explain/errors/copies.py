"""A function of the user's in, a copy out that a trial may trace without a trace left in JAX's caches.

JAX holds the trace of each jitted function by its object. A trial that called the user's own jitted function would
leave a trace in JAX's cache, and the next call of the user's would count as one without a trace. In a copy each jitted
function of the user's is the plain function under it, a copy as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CellType, CodeType, FunctionType
from typing import Any

from ...jax.facts import is_jitted
from ...observe.functions import is_installed, is_of_jax
from ...plain_text import file_of


class NotCopied(Exception):
    """A jitted function has no plain function under it that could be copied."""


def copied(value: Any, made: dict[int, Any]) -> Any:
    """A copy of a function of the user's; any other value as it is.

    Args:
        value: Of a name.
        made: The copies by the ids of their originals; a function that calls itself has one.

    Raises:
        NotCopied: It has no copy.
    """
    if is_jitted(value) and not is_of_jax(value):
        value = value.__wrapped__
        if type(value) is not FunctionType:
            raise NotCopied
    if type(value) is not FunctionType or is_installed(file_of(value.__code__)):
        return value
    if id(value) in made:
        return made[id(value)]
    names = dict(value.__globals__)
    cells = tuple(CellType() for _ in value.__closure__ or ())
    copy = FunctionType(value.__code__, names, value.__name__, value.__defaults__, cells)
    copy.__kwdefaults__ = value.__kwdefaults__
    made[id(value)] = copy
    for name in set(_names(value.__code__)) & names.keys():
        names[name] = copied(names[name], made)
    for cell, original in zip(cells, value.__closure__ or (), strict=True):
        try:
            cell.cell_contents = copied(original.cell_contents, made)
        except ValueError:  # not assigned yet
            continue
    return copy


def _names(code: CodeType) -> Iterator[str]:
    """The global names that code reads, and those of the functions within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
