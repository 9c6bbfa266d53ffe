"""Keeps the static value of a call, and compares static values as JAX does.

A number or a string is kept itself. Of any other object, only a weak reference and the hash are kept if possible.
"""

from __future__ import annotations

import enum
import functools
import types
import weakref
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ...interruptions import not_of_a_signal
from ...jax.leaves_and_context_of_key import (
    is_structure,
)
from ...plain_text import FAILURES, defined, own_name
from ..reprs_of_users_values import NOTHING_CALLED, Reading, is_of_users

if TYPE_CHECKING:
    from ..outside_values.kept_contents import Contents
    from .closed_over import FunctionReads

UNKNOWN = object()


class StaticValue:
    """A static argument, kept for comparisons with later calls.

    A number, a string or a tuple of these is kept itself; any other object is kept as a weak reference and a hash.
    Outside of observed cells and blocks, the `__hash__` of a user's class is not called. Then `read` is False, and it
    is unknown whether two different objects are equal.
    """

    __slots__ = ("_hash", "_held_value", "_reference", "attributes", "owner", "read", "reads", "text", "type")

    def __init__(self, value: Any, reading: Reading = NOTHING_CALLED) -> None:
        self.type = type(value)
        self.text = reading.text(value)
        is_held = is_plain(value) or (reading.calls and issubclass(self.type, _SCALAR_LIKE)) or is_numpy_number(value)
        self._held_value = value if is_held else UNKNOWN
        self._reference: Any = None
        self._hash: int | None = None
        self.read = True
        # For an object of a user class: the contents of its attributes when this record was made.
        self.attributes: Contents | None = None
        if reading.calls and self._held_value is UNKNOWN and is_of_users(self.type):
            # An import at the top would be circular: `kept_contents` imports a module that imports this module.
            from ..outside_values.kept_contents import attributes_of

            self.attributes = attributes_of(value)
        # For a function: its code and the values that the code reads from outside of its arguments.
        self.reads: FunctionReads | None = None
        if reading.calls and any(self.type is kind for kind in _FUNCTIONS):
            from .closed_over import function_reads  # an import at the top of the file would be circular

            self.reads = function_reads(value, reading)
        # A weak reference to the `filter_jit` object, for the function of `equinox.filter_jit`.
        self.owner: Any = None
        if self._held_value is UNKNOWN:
            self._hash = hash(value) if _hashes_plainly(value) else reading.hash_of(value)
            self.read = self._hash is not None
            try:
                self._reference = weakref.ref(value)
            except TypeError:  # the object allows no weak reference, so only its hash is kept
                self._reference = None

    @property
    def value(self) -> Any:
        """The static value; UNKNOWN if the object was deleted."""
        if self._held_value is not UNKNOWN or self._reference is None:
            return self._held_value
        value = self._reference()
        return UNKNOWN if value is None else value

    @property
    def plain(self) -> Hashable:
        """The static value, if its comparison runs no user code; else None."""
        return self._held_value if is_plain(self._held_value) else None

    @property
    def comparable(self) -> Any:
        """The static value, if it is a number, a string, a tuple of these, or a scalar of NumPy; else None.

        The comparison of such values runs no user code.
        """
        is_of_numpy = self._held_value is not UNKNOWN and own_name(self.type, "__module__") == "numpy"
        return self._held_value if is_of_numpy else self.plain

    @property
    def mark(self) -> Hashable:
        """A hashable value that differs for different static values, and is the same for most equal static values."""
        return self.type, self._hash if self._held_value is UNKNOWN else self._held_value, self.text

    def equals(self, other: StaticValue) -> bool:
        """Return whether JAX treats the two values as equal.

        If the hash of one of them was not read, return whether both are the same object.
        """
        if self.type is not other.type:
            return False
        mine, other_value = self.value, other.value
        is_same_object = mine is other_value is not UNKNOWN
        if not (self.read and other.read):
            return is_same_object or (
                self.owner is not None and other.owner is not None and self.owner() is other.owner()
            )
        if is_same_object and self._held_value is UNKNOWN:
            # an object may have changed in place: JAX looks for the entry with the hash of the present contents
            return self._hash == other._hash
        if self._hash != other._hash or mine is UNKNOWN or other_value is UNKNOWN:
            return self._hash is not None and self._hash == other._hash
        try:
            return is_same_object or bool(mine == other_value)  # NaN equals itself for JAX, as in a dict of Python
        except not_of_a_signal(*FAILURES):  # JAX, too, finds no entry if the `__eq__` raises
            return False

    def is_changed(self, later: StaticValue) -> bool:
        """Return whether both values are the same object, whose hash has changed."""
        if self._reference is None or not (self.read and later.read):
            return False
        return self.value is later.value is not UNKNOWN and self._hash != later._hash

    def is_surely_other(self, later: StaticValue) -> bool:
        """Return whether the two values certainly differ, or certainly are two objects; False if unknown."""
        if (self.read and later.read) or self.type is not later.type:
            return True
        return self._reference is not None and later._reference is not None

    @property
    def by_identity(self) -> bool:
        """True if the class of the value compares objects by identity."""
        return defined(self.type, "__eq__") is _IDENTITY


def _hashes_plainly(value: Any) -> bool:
    """Return whether hashing the value runs no user code."""
    kind = type(value)
    if kind in _PLAIN or defined(kind, "__hash__") is _IDENTITY_HASH:
        return True
    if kind is tuple:
        return all(map(_hashes_plainly, value))
    return is_structure(value) and value.num_nodes == 1


_IDENTITY = object.__dict__["__eq__"]


_IDENTITY_HASH = object.__dict__["__hash__"]


class StaticLeaf(str):
    """A leaf that is static in `equinox.filter_jit`: its text, and its value for comparisons."""

    __slots__ = ("value",)
    value: StaticValue

    @classmethod
    def of(cls, value: Any, reading: Reading) -> StaticLeaf:
        """Return the `StaticLeaf` of a static value."""
        static = StaticValue(value, reading)
        leaf = cls(static.text)
        leaf.value = static
        return leaf


_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes})


_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


_SCALAR_LIKE = (int, float, complex, str, bytes, enum.Enum)


def is_numpy_number(value: Any) -> bool:
    """Return whether a value is a number or a bool of NumPy's own classes."""
    import numpy as np

    return own_name(type(value), "__module__") == "numpy" and issubclass(type(value), (np.number, np.bool_))


def is_plain(value: Any) -> bool:
    """Return whether a value is a number, a string or a tuple of these.

    Such values can be compared without user code.
    """
    if type(value) in _PLAIN:
        return True
    return type(value) in (tuple, frozenset) and all(map(is_plain, value))
