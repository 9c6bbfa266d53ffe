"""References to called functions that do not keep the user's functions alive."""

from __future__ import annotations

import weakref
from typing import Any


class Reference(weakref.ref[Any]):
    """A weak reference that is equal only to itself.

    A plain weak reference has the hash of its function, which is the function's address. Python reuses the address of a
    deleted function, so many references could have the same hash, which makes a dictionary slow.
    """

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__


class Held:
    """A strong reference to a value. Calling it returns the value, as calling a weak reference does."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self) -> Any:
        """Return the value to which the reference refers."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return type(other) is Held and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)
