"""Refers to called functions without keeping the user's functions alive."""

from __future__ import annotations

import weakref
from typing import Any


class Reference(weakref.ref[Any]):
    """A weak reference that equals itself alone.

    A plain weak reference has the hash of its function, which is the address of the function. Python gives the
    address of a deleted function to the next one, so many references would have one hash, and a dictionary would
    compare all of them.
    """

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__


class Held:
    """A strong reference with the interface of a weak reference."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self) -> Any:
        """Return the value, as a weak reference does."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return type(other) is Held and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)
