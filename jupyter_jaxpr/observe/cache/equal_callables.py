"""Finds the function objects that JAX takes as one function: JAX finds cache entries by equality, not by identity.

Two bound methods are equal if they are the same method of the same object. Objects of a class with its own `__eq__` and
`__hash__` are equal if these methods say so. Any other callable, such as a function or a partial, equals only itself.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, defined
from ..functions.function_inside_wrappers import next_inside
from ..reprs_of_users_values import Reading

_WRAPPERS = 50
MOST_COMPARED_OBJECTS = 64
"""The number of newest function objects with which a new one is compared."""


class BoundMethod(NamedTuple):
    """Weak references to the object and the function of a bound method."""

    owner: weakref.ref[Any]
    function: weakref.ref[Any]

    @classmethod
    def inside(cls, fun: Any) -> BoundMethod | None:
        """Return the references of the bound method that a callable is or wraps.

        Return None for any other callable, and for a method of an object that allows no weak reference.
        """
        for _ in range(_WRAPPERS):
            if fun is None or type(fun) is MethodType:
                break
            fun = next_inside(fun)
        if type(fun) is not MethodType:
            return None
        try:
            return cls(weakref.ref(fun.__self__), weakref.ref(fun.__func__))
        except TypeError:
            return None

    def equals(self, other: BoundMethod) -> bool:
        """Return whether both are the same method of the same object, which still exists."""
        mine, function = self.owner(), self.function()
        return mine is not None and function is not None and mine is other.owner() and function is other.function()


def may_equal_another(kind: type) -> bool:
    """Return whether an object of this class may equal another object: its class has `__eq__` and `__hash__`."""
    if kind is FunctionType:
        return False
    if kind is MethodType:
        return True
    return defined(kind, "__eq__") is not object.__eq__ and defined(kind, "__hash__") not in (None, object.__hash__)


def equal_objects(fun: Any, others: Mapping[int, weakref.ref[Any]], number: int, reading: Reading) -> tuple[int, ...]:
    """Return the indices of the function objects that still exist and equal a function object.

    Args:
        fun: The function object.
        others: Index of a function object -> weak reference to the object.
        number: The index of `fun`.
        reading: Says whether `__eq__` and `__hash__` of the user's class may be called.
    """
    kind = type(fun)
    if len(others) < 2 or not may_equal_another(kind):
        return ()
    if kind is not MethodType and not reading.calls:
        return ()
    equal = []
    for index in list(others)[-MOST_COMPARED_OBJECTS:]:
        reference = others.get(index)
        other = None if reference is None else reference()
        if index != number and type(other) is kind and _is_equal(fun, other):
            equal.append(index)
    return tuple(equal)


def _is_equal(fun: Any, other: Any) -> bool:
    if type(fun) is MethodType:
        return fun.__self__ is other.__self__ and fun.__func__ is other.__func__
    try:
        return bool(hash(fun) == hash(other) and fun == other)
    except not_of_a_signal(*FAILURES):  # JAX, too, finds no entry if `__hash__` or `__eq__` raises
        return False
