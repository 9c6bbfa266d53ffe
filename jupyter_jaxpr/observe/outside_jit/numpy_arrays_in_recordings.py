"""Finds the variable of each NumPy array in a recording, and the user's array behind one that JAX converted.

A NumPy array is identified by its memory address and by the contents of the memory. JAX wraps the memory in new
objects, so the object does not identify the array. The user's code may change the array in place between two uses, so
the address alone does not identify the array, either.

Before JAX runs an operation on a NumPy array, it wraps or converts the array: float64 becomes a new array of float32.
The JAX functions on the stack between the user's line and the operation still have the original array as an argument.
"""

from __future__ import annotations

import sys
import weakref
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ...jax.dispatch_types import is_jax_type

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


def is_numpy(value: Any) -> bool:
    """Return whether the class of a value is `numpy.ndarray` or a subclass of JAX's, but no subclass of the user's."""
    import numpy as np

    kind = type(value)
    return kind is np.ndarray or (is_jax_type(kind) and issubclass(kind, np.ndarray))


def given_for(array: Any) -> Any:
    """Return the user's NumPy array that JAX converted to `array`.

    Args:
        array: The array that JAX made, and on which it has just run an operation.

    Returns:
        The NumPy array; None if none or more than one has the same values.
    """
    import numpy as np

    if not is_jax_type(type(array)):
        return None
    matches: dict[int, Any] = {}
    for value in _values():
        if type(value) is np.ndarray and value.shape == array.shape and value.dtype != array.dtype:
            with np.errstate(all="ignore"):
                if id(value) not in matches and value.astype(array.dtype).tobytes() == array.tobytes():
                    matches[id(value)] = value
    return next(iter(matches.values())) if len(matches) == 1 else None


def _values() -> Iterator[Any]:
    """Yield the arguments that the user's line passed to the JAX functions which are on the stack."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_of_jax(frame):
        frame = frame.f_back
    while frame is not None and _is_of_jax(frame):
        for value in frame.f_locals.values():
            if type(value) in (tuple, list):
                yield from value
            else:
                yield value
        frame = frame.f_back


def _is_of_jax(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__")
    return type(module) is str and module.partition(".")[0] == "jax"
