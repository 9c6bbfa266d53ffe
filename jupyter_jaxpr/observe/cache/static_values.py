"""A static value of a call, kept without holding the user's object where that is possible, and compared as JAX does."""

from __future__ import annotations

import enum
import weakref
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ...interruptions import not_of_a_signal
from ...jax.keys import (
    is_structure,
)
from ...plain_text import FAILURES, defined
from ..value_texts import NOTHING_CALLED, Reading, is_of_users

if TYPE_CHECKING:
    from ..kept_contents import Contents

UNKNOWN = object()


class StaticValue:
    """A static argument, to be compared later: held only where it is plain, else by weak reference and hash.

    Outside of observed cells and blocks a class of the user's is not asked for a hash: `read` is False then, and of two
    different objects it is not known whether they are equal.
    """

    __slots__ = ("_hash", "_held", "_reference", "attributes", "owner", "read", "text", "type")

    def __init__(self, value: Any, reading: Reading = NOTHING_CALLED) -> None:
        self.type = type(value)
        self.text = reading.text(value)
        self._held = value if is_plain(value) or (reading.calls and issubclass(self.type, _SCALAR_LIKE)) else UNKNOWN
        self._reference: Any = None
        self._hash: int | None = None
        self.read = True
        self.attributes: Contents | None = None  # as they are now, of an object that its class compares by identity
        if reading.calls and self._held is UNKNOWN and is_of_users(self.type) and self.by_identity:
            from ..kept_contents import attributes_of  # which imports what imports this module

            self.attributes = attributes_of(value)
        self.owner: Any = None  # a weak reference to what holds the value, where that tells two apart
        if self._held is UNKNOWN:
            self._hash = hash(value) if _hashes_plainly(value) else reading.hash_of(value)
            self.read = self._hash is not None
            try:
                self._reference = weakref.ref(value)
            except TypeError:  # no weak references: the hash must do
                self._reference = None

    @property
    def value(self) -> Any:
        """The value, or UNKNOWN where it is gone."""
        if self._held is not UNKNOWN or self._reference is None:
            return self._held
        value = self._reference()
        return UNKNOWN if value is None else value

    @property
    def plain(self) -> Hashable:
        """The value where comparing it calls nothing; else None."""
        return self._held if is_plain(self._held) else None

    @property
    def mark(self) -> Hashable:
        """Another one for every other value, and for most equal objects the same."""
        return self.type, self._hash if self._held is UNKNOWN else self._held, self.text

    def equals(self, other: StaticValue) -> bool:
        """Whether JAX takes the two for one; of two that were not both read, whether they are one object."""
        if self.type is not other.type:
            return False
        mine, its = self.value, other.value
        same = mine is its is not UNKNOWN
        if not (self.read and other.read):
            return same or (self.owner is not None and other.owner is not None and self.owner() is other.owner())
        if same and self._held is UNKNOWN:
            return self._hash == other._hash  # JAX finds it by its hash, which changes with its contents
        if self._hash != other._hash or mine is UNKNOWN or its is UNKNOWN:
            return self._hash is not None and self._hash == other._hash
        try:
            return bool(mine == its)
        except not_of_a_signal(*FAILURES):  # an __eq__ that raises makes JAX miss as well
            return False

    def is_changed(self, later: StaticValue) -> bool:
        """Whether it is one object whose hash has changed."""
        if self._reference is None or not (self.read and later.read):
            return False
        return self.value is later.value is not UNKNOWN and self._hash != later._hash

    def is_surely_other(self, later: StaticValue) -> bool:
        """Whether the two are two objects, or values that differ; False where that cannot be told."""
        if (self.read and later.read) or self.type is not later.type:
            return True
        return self._reference is not None and later._reference is not None

    @property
    def by_identity(self) -> bool:
        """Whether its class compares objects by identity."""
        return defined(self.type, "__eq__") is _IDENTITY


def _hashes_plainly(value: Any) -> bool:
    """Whether nothing of the user's runs for the hash of a value: Python's own, of the object or what a tuple holds."""
    kind = type(value)
    if kind in _PLAIN or defined(kind, "__hash__") is _IDENTITY_HASH:
        return True
    if kind is tuple:
        return all(map(_hashes_plainly, value))
    return is_structure(value) and value.num_nodes == 1


_IDENTITY = object.__dict__["__eq__"]


_IDENTITY_HASH = object.__dict__["__hash__"]


class StaticLeaf(str):
    """The text of a leaf that is static in `equinox.filter_jit`, and the value to compare it by."""

    __slots__ = ("value",)
    value: StaticValue

    @classmethod
    def of(cls, value: Any, reading: Reading) -> StaticLeaf:
        """The leaf of a value."""
        static = StaticValue(value, reading)
        made = cls(static.text)
        made.value = static
        return made


_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes})


_SCALAR_LIKE = (int, float, complex, str, bytes, enum.Enum)


def is_plain(value: Any) -> bool:
    """Whether holding a value holds nothing else and comparing it calls nothing: numbers, texts, tuples of those."""
    if type(value) in _PLAIN:
        return True
    return type(value) in (tuple, frozenset) and all(map(is_plain, value))
