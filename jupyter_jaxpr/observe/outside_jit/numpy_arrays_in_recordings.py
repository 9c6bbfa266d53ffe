"""Finds the variable of each NumPy array in a recording.

A NumPy array is identified by its memory address and by the contents of the memory. JAX wraps the memory in new
objects, so the object does not identify the array. The user's code may change the array in place between two uses, so
the address alone does not identify the array, either.
"""

from __future__ import annotations

import weakref
import zlib
from dataclasses import dataclass
from typing import Any

from ...jax.numpy_values import is_numpy

READ = 256 * 1024
"""The size in bytes above which an array is not read at each use, because that takes too long."""

_FIRST = 100  # the most argument arrays whose contents are read before a call


@dataclass(slots=True)
class _Seen:
    owner: weakref.ref[Any]
    contents: int | None  # the checksum of the array's contents; None if the contents were not read
    variable: Any


class NumPyArrays:
    """The NumPy arrays of one recording.

    Attributes:
        unread: The addresses of arrays that JAX used twice without a checksum: the cell may have changed the arrays
            between the two uses.
    """

    def __init__(self) -> None:
        self._entries: dict[Any, list[_Seen]] = {}  # memory address -> the arrays that were seen at this address
        self._used: set[Any] = set()
        self.unread: set[Any] = set()

    def known(self, array: Any) -> Any:
        """Return the variable of an array that was seen at this address with the same contents; None if there is none.

        The contents of an array with more than `READ` bytes are not compared.
        """
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
        """Return the variable that an array got when it was first seen; None if the array was not seen before."""
        entries = self._living(_place(array))
        return entries[0].variable if entries else None

    def add(self, array: Any, variable: Any) -> None:
        """Store the variable of an array with its present contents."""
        place = _place(array)
        self._entries.setdefault(place, []).append(_Seen(weakref.ref(_owner(array)), _contents(array), variable))

    def has_room(self) -> bool:
        """Return whether the limit lets the recording read the contents of another array before a call."""
        return len(self._entries) < _FIRST

    def _living(self, place: Any) -> list[_Seen]:
        entries = self._entries.get(place, [])
        # the array that owned the memory was deleted, and another array uses the memory now
        if entries and entries[0].owner() is None:
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
