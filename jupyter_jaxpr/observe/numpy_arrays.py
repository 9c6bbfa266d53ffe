"""Finds the variable of each NumPy array in a recording.

A NumPy array is identified by its memory address, because JAX wraps the memory in new objects, and by the contents of
the memory, because the user's code may change the array in place between two uses.
"""

from __future__ import annotations

import weakref
import zlib
from dataclasses import dataclass
from typing import Any

from ..jax.numpy_values import is_numpy

READ = 256 * 1024
"""The size in bytes above which an array is not read at each use, because that takes too long."""

_FIRST = 100  # the number of argument arrays whose contents are read before the call


@dataclass(slots=True)
class _Seen:
    owner: weakref.ref[Any]
    contents: int | None  # the checksum of the array; None if the array was not read
    variable: Any


class NumPyArrays:
    """The NumPy arrays of one recording.

    Attributes:
        unread: How many arrays JAX used twice without a checksum: the cell may have changed them between the two uses.
    """

    def __init__(self) -> None:
        self._entries: dict[Any, list[_Seen]] = {}  # memory address -> the arrays seen there
        self._used: set[Any] = set()
        self.unread: set[Any] = set()

    def known(self, array: Any) -> Any:
        """Return the variable of an array that was seen before with the same contents; None if there is none."""
        place = _place(array)
        entries = self._living(place)
        if not entries:
            self._used.discard(place)
        contents = _contents(array)
        if contents is None and array.flags.writeable and place in self._used:
            self.unread.add(place)
        self._used.add(place)
        return next((entry.variable for entry in reversed(entries) if entry.contents == contents), None)

    def first(self, array: Any) -> Any:
        """Return the variable that an array had when it was first seen; None if it was not seen."""
        entries = self._living(_place(array))
        return entries[0].variable if entries else None

    def add(self, array: Any, variable: Any) -> None:
        """Store the variable of an array with its present contents."""
        place = _place(array)
        self._entries.setdefault(place, []).append(_Seen(weakref.ref(_owner(array)), _contents(array), variable))

    def has_room(self) -> bool:
        """Return whether the limit allows to read another array before the call."""
        return len(self._entries) < _FIRST

    def _living(self, place: Any) -> list[_Seen]:
        entries = self._entries.get(place, [])
        if entries and entries[0].owner() is None:  # the owner was deleted, and another array uses the memory now
            del self._entries[place]
            return []
        return entries


def _owner(array: Any) -> Any:
    """Return the array that owns the memory of `array`, which may be a view."""
    while is_numpy(array.base):
        array = array.base
    return array


def _place(array: Any) -> Any:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def _contents(array: Any) -> int | None:
    return zlib.crc32(array.tobytes()) if array.nbytes <= READ else None
