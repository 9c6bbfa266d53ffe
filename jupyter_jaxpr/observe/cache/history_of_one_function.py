"""Keeps the history of one function: its missed calls, its counts, and its function objects.

- `MissEvent`: one call that missed, or that JAX inlined while it traced another function.
- `FunctionHistory`: all events of one function; function objects with the same name and def line count as one function.

A history holds keys (types and static values), never arrays. All events are counted, and the newest ones are kept, up
to a limit.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...jax.constructs_outside_jit import Construct
from ...plain_text import file_of
from ..functions.function_inside_wrappers import code_of, unwrap
from ..observation import Outcome, Place
from ..user_or_library.whose_code import is_installed
from .bound_and_outside_values import (
    RECENT_OBJECTS,
    CodesOfConstruct,
    EarlierObject,
    FunctionObject,
    NewestObject,
    code_to_compare,
    codes_to_compare,
)
from .changed_outside_values import ChangedValue, changed_values, unread_values
from .closed_over import kept_values
from .equal_callables import BoundMethod
from .loop_that_makes_function import Making, making_of
from .reason import Reason
from .types_and_layouts_of_key import Key
from .wrappers_named_in_reasons import Wrappers

if TYPE_CHECKING:
    from .ledger_rows import FunctionRecord


# The properties by which function objects on one line are distinguished: (names of the wrappers around the function,
# true if a partial binds arguments, class name of a callable object, hash of the other properties)
Wrapped = tuple[Wrappers, bool, str, int]


EVENTS_PER_FUNCTION = 512


@dataclass(slots=True, eq=False)
class MissEvent:
    """One call that missed JAX's C++ cache, or that JAX inlined into a trace.

    Attributes:
        number: the index of the event among all events in this kernel.
        function_object: the index of the called function object among the function objects with this name and def line.
        key: the key of the call; None for an inlined call, or if the key could not be read.
        outcome: the outcome of the call; None while the call runs.
        fast_path: true if later calls with this key hit JAX's C++ fast path.
        effects: the effects of the program; because of an effect, an entry may have no fast path.
        held_before: true if JAX had entries of this function object before the observation began.
        rerun: true if the cell of the def ran again after the previous function object was first seen.
        clears: how often JAX's caches had been cleared before the event.
        reloaded: true if the file of the def was executed again after the previous function object was made.
        cell: the n of In [n] of the cell that made the call.
        definition: the place of the def; only set for the first miss of a function object.
        definition_cell: the n of In [n] of the cell that contains the def.
        partial: parameter -> repr of the value that a functools.partial binds.
        partial_read: false if the bound values could not be read: values are read only in observed cells.
        first: the first miss of the same function object; None if this event is the first miss.
        wrappers: the wrappers around the user's function; only set for the first miss of a function object.
        alike: how many earlier function objects had the same wrappers.
        making: where the function object was made; None for the first function object, or if unknown.
        captured: names of the values that the function object reads from enclosing functions.
        method: true for a bound method; only set for the first miss of a function object.
        bound_method: the object and the function of the bound method that the function object is or wraps; only set
            for the first miss of a function object.
        callable_class: the class name of a callable object that is no function; only set for the object's first miss.
        may_equal: true if the class of a callable object has its own `__eq__` and `__hash__`.
        equal_objects: the indices of other function objects that existed at the call and equal the called one: JAX
            uses their entries.
        is_compared: true if `equal_objects` holds all of them; false if the `__eq__` of the class was not called.
        changed: outside values that differ from those of the closest earlier function object, which is the latest one
            of those with the fewest changed values.
        closest_objects: the indices of the function objects with the fewest changed values.
        varying: names of outside values that differ from those of any recent function object.
        unread: names of outside values that cannot be compared, and so may have changed.
        same_code: whether the previous function object with the same wrappers had the same code, lines apart; None if
            unknown.
        redefines: the earlier definition of the function, in another cell or on another line; only set for the first
            miss of a function object, and only if the code of the later definition ran later.
        construct: the construct that JAX compiled by itself outside of jit; None for the call of a jitted function.
        another: true if several functions with different code or options have the same def line, such as two lambdas.
        reasons: the reasons of the miss; None until `reasons_of` first computes the reasons.
        entry: the index of the function's cache entry; -1 until `entries_of` first computes the index.
        signature: the argument types as text; None until the ledger is first read.
        trace: the seconds of JAX's trace; None if JAX did not trace.
    """

    number: int
    thread: int
    function_object: int
    key: Key | None
    place: Place | None
    outcome: Outcome | None = None
    fast_path: bool = False
    effects: tuple[str, ...] = ()
    held_before: bool = False
    rerun: bool = False
    clears: int = 0
    reloaded: bool = False
    cell: int | None = None
    definition: Place | None = None
    definition_cell: int | None = None
    partial: dict[str, str] | None = None
    partial_read: bool = True
    first: MissEvent | None = None
    wrappers: Wrappers = ()
    alike: int = 0
    making: Making | None = None
    captured: Sequence[str] = ()
    method: bool = False
    bound_method: BoundMethod | None = None
    callable_class: str = ""
    may_equal: bool = False
    equal_objects: tuple[int, ...] = ()
    is_compared: bool = False
    changed: Sequence[ChangedValue] = ()
    closest_objects: frozenset[int] = frozenset()
    varying: frozenset[str] = frozenset()
    unread: Sequence[str] = ()  # names of outside values that cannot be compared, and so may have changed
    # whether the previous function object with the same wrappers had the same code, lines apart; None if unknown. For a
    # construct, the code of its body is compared.
    same_code: bool | None = None
    # for a construct, the indices of the passed functions whose code differs from the code of the previous construct
    other_codes: tuple[int, ...] = ()
    # the earlier definition of the function, in another cell or on another line; only set for the first miss of a
    # function object, and only if the code of the later definition ran later
    redefines: EarlierDefinition | None = None
    construct: Construct | None = None
    another: bool = False
    reasons: tuple[Reason, ...] | None = None
    entry: int = -1
    signature: str | None = None
    trace: float | None = None
    lower: float | None = None
    compile: float | None = None
    total: float | None = None

    @property
    def seconds(self) -> float:
        """The seconds of the miss: the sum of trace, lower and compile."""
        return (self.trace or 0.0) + (self.lower or 0.0) + (self.compile or 0.0)

    @property
    def made_entry(self) -> bool:
        """True if the call made a cache entry in JAX."""
        return self.outcome in ("dispatch_only", "lowered", "compiled", "compiled_from_disk")


class EarlierDefinition(NamedTuple):
    """The definition of a function that a later definition of the same name replaced.

    Attributes:
        place: the place of the def.
        cell: the n of In [n] of the cell that contains the def; None for a def in a file.
        history: a weak reference to the history of the function.
    """

    place: Place
    cell: int | None
    history: weakref.ref[FunctionHistory]


_NO_ENTRY = MissEvent(0, 0, -1, None, None)
"""Replaces the event of a function object that was deleted, so that the other events keep their indices."""


@dataclass(slots=True)
class Counts:
    """The counts of one function: JAX's traces, lowerings and compiles, and the missed calls by their outcome."""

    misses: int = 0
    dispatch_only: int = 0
    traces: int = 0
    lowerings: int = 0
    compiles: int = 0
    from_disk: int = 0
    inlined: int = 0
    raised: int = 0
    seconds: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    def minus(self, earlier: Counts) -> Counts:
        """Return the difference between these counts and earlier counts of the same function."""
        return Counts(*(getattr(self, name) - getattr(earlier, name) for name in self.__slots__))

    def copy(self) -> Counts:
        """Return a copy of the counts."""
        return Counts(*(getattr(self, name) for name in self.__slots__))


@dataclass(slots=True, eq=False, weakref_slot=True)
class FunctionHistory:
    """The history of one user function in this kernel.

    Attributes:
        definition: the place of the def of the newest function object.
        counts_of: thread id -> the counts of the calls on this thread.
        counts_gone: the sum of the counts of threads that have ended and are no longer in `counts_of`.
        compiled_at: when the last compile was counted, by `time.perf_counter`.
        last_seen: the number of the cell execution in which the newest function object was first seen.
        entries: for each cache entry, the event that made the entry; empty until `entries_of` is first called.
        looked_through_at: when `entries` has this length, the entries of deleted function objects are removed from
            `entries`.
        newest: the user's function inside the newest function object.
        full_record: the ledger's record of all events; None if new events came since.
        full_record_at: how often JAX's caches had been cleared when `full_record` was made.
        alive: index of a function object -> weak reference to the function object.
        died: the number of the cell execution in which the last deletion of a function object happened.
        jitted: index of a function object -> weak reference to the result of `jax.jit`, if a call through it was seen.
    """

    name: str
    definition: Place | None
    events: deque[MissEvent] = field(default_factory=lambda: deque(maxlen=EVENTS_PER_FUNCTION))
    counts_of: dict[int, Counts] = field(default_factory=dict)
    counts_gone: Counts = field(default_factory=Counts)
    compiled_at: float = -math.inf
    objects: int = 0
    last_seen: int = -1
    entries: list[MissEvent] = field(default_factory=list)
    by_hash: dict[int, list[int]] = field(default_factory=dict)
    looked_through_at: int = EVENTS_PER_FUNCTION
    newest: weakref.ref[FunctionType] | None = None
    wrapped: dict[Wrapped, NewestObject] = field(default_factory=dict)
    full_record: FunctionRecord | None = None
    full_record_at: int = 0
    alive: dict[int, weakref.ref[Any]] = field(default_factory=dict)
    died: int = -1
    jitted: dict[int, weakref.ref[Any]] = field(default_factory=dict)

    def is_alive(self, number: int) -> bool:
        """Return whether the function object with this index still exists."""
        return number in self.alive and self.alive[number]() is not None

    @property
    def last_number(self) -> int:
        """The number of the function's newest event."""
        return self.events[-1].number if self.events else 0

    def forget_entries(self) -> None:
        """Drop the cache keys of deleted function objects whose events are no longer kept."""
        if len(self.entries) < self.looked_through_at:
            return
        recent = {event.function_object for event in self.events}
        for index, event in enumerate(self.entries):
            if event.function_object not in recent and not self.is_alive(event.function_object):
                self.entries[index] = _NO_ENTRY
        for mark, places in list(self.by_hash.items()):
            self.by_hash[mark] = [index for index in places if self.entries[index] is not _NO_ENTRY]
            if not self.by_hash[mark]:
                del self.by_hash[mark]
        self.looked_through_at = len(self.entries) + EVENTS_PER_FUNCTION

    def live(self, number: int, fun: Any, execution: Callable[[], int] = lambda: 0) -> None:
        """Keep a weak reference to the new function object `fun`, whose index is `number`.

        When a function object is deleted, JAX drops its cache entries, so the deletion also clears `full_record`.
        `execution` returns the number of the cell execution.
        """

        def forget_object(_: object) -> None:
            self.died = execution()
            self.alive.pop(number, None)
            self.jitted.pop(number, None)
            self.full_record = None

        self.alive[number] = weakref.ref(fun, forget_object)

    def called(self, number: int, jitted: Any) -> None:
        """Keep a weak reference to the jitted function that called the function object with the index `number`."""
        earlier = self.jitted.get(number)
        if earlier is None or earlier() is None:
            self.jitted[number] = weakref.ref(jitted)

    def count_alike(
        self, event: MissEvent, first: FunctionObject, fun: Any, earlier: FunctionHistory | None = None
    ) -> None:
        """Record how many earlier function objects had the same wrappers; `event` is a function object's first miss.

        The changes of outside values since the closest object, and of the code since the previous object, are recorded,
        too: the values may be deleted later.

        Args:
            event: The first miss of the function object.
            first: The properties of the function object.
            fun: The function object.
            earlier: The history of the same function on another line or in another cell; None if there is none.
        """
        event.partial, event.partial_read = first.partial, first.partial_read
        event.wrappers, event.method, event.callable_class = first.wrappers, first.method, first.callable_class
        event.bound_method, event.may_equal = first.bound_method, first.may_equal
        key = first.wrappers, first.partial is not None, first.callable_class, first.apart
        last = self.wrapped.get(key)
        code_now = code_to_compare(fun) if event.construct is None else codes_to_compare(event.construct)
        previous = last if last is not None or earlier is None else earlier.wrapped.get(key)
        if previous is not None:
            changes = [changed_values(old.outside, first.outside) for old in previous.recent]
            fewest = min(changes, key=len)  # the latest object of those with equally many changes
            closest = [
                old for old, changed in zip(previous.recent, changes, strict=True) if len(changed) == len(fewest)
            ]
            event.changed = fewest
            event.varying = frozenset(value.name for changed in changes for value in changed)
            event.unread = unread_values(closest[0].outside, first.outside)
            if previous is last:
                event.closest_objects = frozenset(old.number for old in closest)
            if isinstance(code_now, CodesOfConstruct) and isinstance(previous.code, CodesOfConstruct):
                event.same_code = code_now.same_as(previous.code)
                event.other_codes = code_now.changed_since(previous.code)
            elif previous.code is not None and code_now is not None:
                event.same_code = previous.code == code_now
        if last is not None:
            event.alike = last.objects
            is_plain_function = not first.wrappers and type(unwrap(fun)) is FunctionType
            code = code_of(fun) if is_plain_function else None
            plain = None if code is None or is_installed(file_of(code)) else code
            event.making = making_of(plain, event.place)
            event.captured = kept_values(() if plain is None else plain.co_freevars, first.outside)
            if event.construct is not None:
                names = dict.fromkeys(name for passed in event.construct.functions for name in passed.captured)
                event.captured = kept_values(names, first.outside)
        event.another = any(wrapping[:3] == key[:3] and wrapping[3] != first.apart for wrapping in self.wrapped)
        recent = last.recent if last is not None and last.code == code_now else ()
        now = EarlierObject(event.function_object, first.outside)
        self.wrapped[key] = NewestObject(event.alike + 1, (now, *recent[: RECENT_OBJECTS - 1]), code_now)

    def counts_on(self, thread: int | None) -> Counts:
        """Return the counts of one thread; if `thread` is None, the sum over all threads."""
        if thread is not None:
            return self.counts_of.get(thread, Counts())
        return sum(list(self.counts_of.values()), self.counts_gone)

    def counts_by(self, thread: int) -> Counts:
        """Return the counts to which calls on this thread are added."""
        counts = self.counts_of.get(thread)
        if counts is None:
            if len(self.counts_of) >= 100:  # many threads: the counts of ended threads are moved to `counts_gone`
                alive = {running.ident for running in threading.enumerate()}
                for ended in [ident for ident in self.counts_of if ident not in alive]:
                    self.counts_gone += self.counts_of.pop(ended)
            counts = self.counts_of[thread] = Counts()
        return counts
