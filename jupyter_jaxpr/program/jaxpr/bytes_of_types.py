"""Computes the bytes of an array from its type."""

from __future__ import annotations

import re

from .avals import AvalRow
from .walk import Walk

_BITS = re.compile(r"[a-z]+(\d+)")
_KEYS = {"key<fry>": 8, "key<rbg>": 16, "key<urbg>": 16}


def element_bytes(dtype: str) -> int | None:
    """Return the bytes of one element of a JAX array; None if the dtype is unknown.

    An element of less than a byte counts as one byte, as in `nbytes` of an array.
    """
    if dtype == "bool":
        return 1
    if dtype in _KEYS:
        return _KEYS[dtype]
    match = _BITS.match(dtype)
    return None if match is None else -(-int(match[1]) // 8)


def aval_bytes(aval: AvalRow) -> int | None:
    """Return the bytes of an array of a type.

    0 for a type that is no array, such as a token; None if a size is unknown.
    """
    if not aval.dtype:
        return 0
    size = element_bytes(aval.dtype)
    for axis in aval.shape:
        if size is None or isinstance(axis, str):
            return None
        size *= axis
    return size


class Sizes:
    """The bytes of each type in a `Walk`; each is computed once. Types may be added to the `Walk` later."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._known: list[int | None] = []

    def table(self) -> list[int | None]:
        """Return the bytes of each type, by the index of the type."""
        avals = self._walk.avals
        self._known.extend(aval_bytes(aval) for aval in avals[len(self._known) :])
        return self._known
