"""Finds the bytes of an array from its type."""

from __future__ import annotations

import re

from .avals import AvalRow
from .walk import Walk

_BITS = re.compile(r"[a-z]+(\d+)")
_KEYS = {"key<fry>": 8, "key<rbg>": 16, "key<urbg>": 16}


def element_bytes(dtype: str) -> int | None:
    """Bytes of one element as JAX's arrays hold it; None where the type is not known.

    Types of less than a byte take a whole one, as in `nbytes` of an array.
    """
    if dtype == "bool":
        return 1
    if dtype in _KEYS:
        return _KEYS[dtype]
    match = _BITS.match(dtype)
    return None if match is None else -(-int(match[1]) // 8)


def aval_bytes(aval: AvalRow) -> int | None:
    """Bytes of an array of this type; 0 where it is none, such as a token; None for sizes that are not known."""
    if not aval.dtype:
        return 0
    size = element_bytes(aval.dtype)
    for axis in aval.shape:
        if size is None or isinstance(axis, str):
            return None
        size *= axis
    return size


class Sizes:
    """The bytes of the types of a walk, each computed once; types that the walk receives later are included."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._known: list[int | None] = []

    def table(self) -> list[int | None]:
        """Bytes by the index of the type."""
        avals = self._walk.avals
        self._known.extend(aval_bytes(aval) for aval in avals[len(self._known) :])
        return self._known
