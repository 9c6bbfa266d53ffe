"""Finds the variable of each NumPy array in a recording.

A NumPy array is known by its memory, because JAX wraps the memory in objects of its own, and by what the memory holds,
because the user's code may change the array in place between two uses.
"""

from __future__ import annotations

import weakref
import zlib
from dataclasses import dataclass
from typing import Any

from ..jax.numpy_values import is_numpy

READ = 256 * 1024
"""Bytes: a larger array is not read at each use, which would take too long."""

_FIRST = 100  # arrays of the arguments that are read before the call


@dataclass(slots=True)
class _Seen:
    owner: weakref.ref[Any]
    contents: int | None  # None: not read
    variable: Any


class NumPyArrays:
    """The NumPy arrays of one recording.

    Attributes:
        unread: Arrays that JAX used more than once and that were not read: the cell may have changed them in between.
    """

    def __init__(self) -> None:
        self._seen: dict[Any, list[_Seen]] = {}  # by place in memory
        self._used: set[Any] = set()
        self.unread: set[Any] = set()

    def known(self, array: Any) -> Any:
        """The variable of an array that was seen with the same contents; else None."""
        place = _place(array)
        seen = self._living(place)
        if not seen:
            self._used.discard(place)
        contents = _contents(array)
        if contents is None and array.flags.writeable and place in self._used:
            self.unread.add(place)
        self._used.add(place)
        return next((each.variable for each in reversed(seen) if each.contents == contents), None)

    def first(self, array: Any) -> Any:
        """The variable of an array as the array was when it was first seen; else None."""
        seen = self._living(_place(array))
        return seen[0].variable if seen else None

    def add(self, array: Any, variable: Any) -> None:
        """Remember an array as it is now."""
        place = _place(array)
        self._seen.setdefault(place, []).append(_Seen(weakref.ref(_owner(array)), _contents(array), variable))

    def has_room(self) -> bool:
        """Whether further arrays may be read before the call."""
        return len(self._seen) < _FIRST

    def _living(self, place: Any) -> list[_Seen]:
        seen = self._seen.get(place, [])
        if seen and seen[0].owner() is None:  # the memory is another array's now
            del self._seen[place]
            return []
        return seen


def _owner(array: Any) -> Any:
    """The array that holds the memory of an array."""
    while is_numpy(array.base):
        array = array.base
    return array


def _place(array: Any) -> Any:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def _contents(array: Any) -> int | None:
    return zlib.crc32(array.tobytes()) if array.nbytes <= READ else None
