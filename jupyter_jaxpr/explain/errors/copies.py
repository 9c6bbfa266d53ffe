"""A function of the user's in, a copy out that a trial may trace without a trace left in JAX's caches.

JAX holds the trace of each jitted function by its object. A trial that called the user's own jitted function would
leave a trace in JAX's cache, and the next call of the user's would count as one without a trace. In a copy each jitted
function of the user's is the plain function under it, a copy as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CellType, CodeType, FunctionType, MappingProxyType
from typing import Any

from ...jax.facts import is_jitted
from ...observe.functions import is_installed, is_of_jax
from ...plain_text import file_of


class NotCopied(Exception):
    """A jitted function has no plain function under it that could be copied."""


def copied(value: Any, made: dict[int, Any], codes: Mapping[CodeType, CodeType] = MappingProxyType({})) -> Any:
    """A copy of a function of the user's; any other value as it is.

    Args:
        value: Of a name.
        made: The copies by the ids of their originals; a function that calls itself has one.
        codes: Other codes for the copies, such as edited ones, by the codes of the originals.

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
    code = codes.get(value.__code__, value.__code__)
    originals = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
    if not originals.keys() >= set(code.co_freevars):
        raise NotCopied
    cells = tuple(CellType() for _ in code.co_freevars)
    copy = FunctionType(code, names, value.__name__, value.__defaults__, cells)
    copy.__kwdefaults__ = value.__kwdefaults__
    made[id(value)] = copy
    for name in set(_names(code)) & names.keys():
        names[name] = copied(names[name], made, codes)
    for name, cell in zip(code.co_freevars, cells, strict=True):
        try:
            cell.cell_contents = copied(originals[name].cell_contents, made, codes)
        except ValueError:  # not assigned yet
            continue
    return copy


def _names(code: CodeType) -> Iterator[str]:
    """The global names that code reads, and those of the functions within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
