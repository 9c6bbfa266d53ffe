"""Keeps the arguments of the first calls and of the last call of each jitted function, for `--steps`.

Containers in the arguments are copied, because the user may change them after the call. A call is not kept if its
arguments could change in another way, or if they take much memory. Functions are kept by weak references only: JAX
drops the cache entries of a function that no longer exists, and would otherwise find the entries of a bound method for
a later method that equals it.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import is_deleted
from ...jax.leaves_and_context_of_key import array_type
from .held_or_gone_values import CallValues

#: How many first calls of a function are kept; the last call is kept in addition.
FIRST = 7
_BYTES_OF_A_CALL = 8_000_000
_BYTES_IN_ALL = 64_000_000
_BYTES_COPIED = 4_096
_LEAVES = 1_000
_DEPTH = 20
_UNCHANGEABLE = (bool, int, float, complex, str, bytes, type(None))


@dataclass(frozen=True)
class KeptCall:
    """A call in the cell whose arguments are kept.

    Attributes:
        number: the number of the call among all calls of the function object, counted from 1.
    """

    number: int
    values: CallValues


@dataclass(frozen=True)
class ProgramCalls:
    """The kept calls that ran the same program.

    Attributes:
        total: the number of all calls of the function object, whichever program they ran.
    """

    calls: tuple[KeptCall, ...]
    total: int


@dataclass
class _Calls:
    """The kept calls of one function object.

    Attributes:
        fun: the function without jit, by a weak reference.
        hits: number of the call -> (jitted function by a weak reference, args, kwargs).
        missed: number of the call -> (jaxpr, values).
    """

    fun: Callable[[], Any]
    total: int = 0
    hits: dict[int, tuple[Callable[[], Any], Any, Any]] = field(default_factory=dict)
    missed: dict[int, tuple[Any, CallValues]] = field(default_factory=dict)
    ends_with_hit: bool = False


class KeptCalls:
    """The kept calls of all functions in a cell."""

    def __init__(self) -> None:
        self._calls: dict[int, _Calls] = {}  # id of a living function without jit -> its calls
        self._of_dropped: list[_Calls] = []  # the calls of functions that no longer exist
        self._bytes = 0

    def hit(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep the arguments of a call that hit the cache; no user code runs."""
        calls = self._calls_of(getattr(called, "_fun", None))
        if calls is None:
            return
        calls.total += 1
        calls.ends_with_hit = True
        if calls.total > FIRST:
            return
        copying = _Copying()
        try:
            copies = copying.copy(args, 0), copying.copy(kwargs, 0)
        except not_of_a_signal(_Changeable, RuntimeError):  # another thread may change the dict during the copy
            return
        if copying.size <= _BYTES_OF_A_CALL and self._bytes + copying.size <= _BYTES_IN_ALL:
            self._bytes += copying.size
            calls.hits[calls.total] = weakref.ref(called), *copies

    def missed(self, fun: Any, jaxpr: Any, values: CallValues) -> None:
        """Keep the arguments of a call that missed the cache and ran a program."""
        calls = self._calls_of(fun)
        if calls is None:
            return
        calls.total += 1
        calls.ends_with_hit = False
        if calls.total <= FIRST:
            calls.missed[calls.total] = jaxpr, values

    def _calls_of(self, fun: Any) -> _Calls | None:
        """Return the calls of a function; None if Python has no weak references to the function."""
        number = id(fun)
        calls = self._calls.get(number)
        if calls is not None and calls.fun() is fun:
            return calls
        try:
            reference = weakref.ref(fun, lambda _: self._dropped(number, reference))
        except TypeError:
            return None
        calls = self._calls[number] = _Calls(reference)
        return calls

    def _dropped(self, number: int, reference: Callable[[], Any]) -> None:
        calls = self._calls.get(number)
        if calls is not None and calls.fun is reference:
            del self._calls[number]
            self._of_dropped.append(calls)

    def by_program(
        self,
        leaves_of: Callable[[Any, Any, Any], tuple[Any, list[Any]] | None],
        last_of: Callable[[Any], tuple[Any, CallValues] | None],
    ) -> dict[int, ProgramCalls]:
        """Return {id of a jaxpr: the kept calls that ran this jaxpr}.

        Args:
            leaves_of: Gets the function and the arguments of a kept call; returns the jaxpr of the call and its dynamic
                leaves, or None if JAX has dropped the program.
            last_of: Gets a jitted function; returns the jaxpr and the values of the last call of the function, if this
                call was a hit, or None if unknown.
        """
        programs: dict[int, tuple[int, list[KeptCall]]] = {}
        for calls in [*self._of_dropped, *self._calls.values()]:
            values_by_number = {
                number: missed_call
                for number, missed_call in calls.missed.items()
                if not missed_call[1].arrays_that_may_change(True)
            }
            for number, (reference, args, kwargs) in calls.hits.items():
                called = reference()
                traced = None if called is None else leaves_of(called, args, kwargs)
                if traced is not None and not any(map(is_deleted, traced[1])):
                    values_by_number[number] = traced[0], CallValues(traced[1], "last", keep=True)
            fun = calls.fun()
            last = last_of(fun) if fun is not None and calls.total > FIRST and calls.ends_with_hit else None
            if last is not None and not last[1].arrays_that_may_change(False):
                values_by_number[calls.total] = last
            for number in sorted(values_by_number):
                jaxpr, values = values_by_number[number]
                programs.setdefault(id(jaxpr), (calls.total, []))[1].append(KeptCall(number, values))
        return {program: ProgramCalls(tuple(kept_calls), total) for program, (total, kept_calls) in programs.items()}

    def clear(self) -> None:
        """Forget all kept arguments."""
        self._calls.clear()
        self._of_dropped.clear()


class _Changeable(Exception):
    """Raised if an argument could change after its call in a way that a copy does not catch."""


class _Copying:
    """Copies the arguments of a call.

    Only Python's own containers are copied, because `tree_flatten` of another class may be user code.

    Attributes:
        size: the total bytes of the arrays in the arguments.
    """

    def __init__(self) -> None:
        self.size = 0
        self._left = _LEAVES
        self._array = array_type()
        self._numpy = sys.modules["numpy"]  # `sys.modules` has NumPy, because JAX imports NumPy

    def copy(self, node: Any, depth: int) -> Any:
        """Return a copy of an argument; raise `_Changeable` if a part of it could change after the call."""
        self._left -= 1
        kind = type(node)
        if self._left < 0 or depth > _DEPTH:
            raise _Changeable
        if kind is tuple or kind is list:
            return kind([self.copy(child, depth + 1) for child in node])
        if kind is dict:
            if not all(type(key) is str for key in node):  # hashing a key of another type may run user code
                raise _Changeable
            return {key: self.copy(child, depth + 1) for key, child in node.items()}
        if kind is self._array:
            self.size += node.nbytes
            return node
        if kind in _UNCHANGEABLE or issubclass(kind, self._numpy.generic):
            return node
        if kind is self._numpy.ndarray and node.nbytes <= _BYTES_COPIED and node.dtype.kind in "biufc":
            return node.copy()
        raise _Changeable
