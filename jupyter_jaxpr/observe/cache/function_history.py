"""Keeps the history of one function: its calls that missed, its counts, and its function objects.

- `MissEvent`: one call that missed, or that ran while another function was traced.
- `FunctionHistory`: all events of one function; function objects with one name and one place count as one function.

A history holds keys (types and static values), never arrays. It keeps the newest events, up to a limit, and counts
all events.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...jax.eager_control_flow import Construct
from ...plain_text import file_of
from ..code_of_callables import code_of, unwrap
from ..observation import Outcome, Place
from ..whose_code import is_installed
from .cache_key import Key
from .closed_over import ChangedValue, changed_values, kept_values, unread_values
from .function_objects import FunctionObject, NewestObject
from .reason import Reason
from .where_made import Making, making_of
from .wrapped_functions import Wrappers

if TYPE_CHECKING:
    from .ledger import FunctionRecord


# Each entry is (names of the wrappers around a function, true if a partial binds the function, the class of a called
# object that is no function, hash of the other differences between two functions of one line).
Wrapped = tuple[Wrappers, bool, str, int]


EVENTS_PER_FUNCTION = 512


@dataclass(slots=True, eq=False)
class MissEvent:
    """One call that missed JAX's C++ cache, or that JAX inlined into a trace."""

    number: int  # the number of the event in this kernel
    thread: int
    function_object: int  # the index of the function object in its history
    key: Key | None  # the key of the call; None for an inlined call, or if the key could not be read
    place: Place | None
    outcome: Outcome | None = None  # the outcome of the call; None while the call runs
    fast_path: bool = False  # true if later calls with this key hit the fast path
    effects: tuple[str, ...] = ()  # effects of the program: a possible cause of a missing fast path
    held_before: bool = False  # true if JAX held entries of this function object before the observation began
    rerun: bool = False  # true if the cell of the function ran again since the previous function object was first seen
    clears: int = 0  # the number of times that JAX's caches had been cleared
    reloaded: bool = False  # true if the file of the def was executed again since the previous function object
    cell: int | None = None  # the n in In [n] of the cell that made the call
    definition: Place | None = None  # the def of the function object; set for its first miss
    definition_cell: int | None = None  # the n in In [n] of the cell with this def
    partial: dict[str, str] | None = None  # the values that a functools.partial binds, as text
    partial_read: bool = True  # false if `partial` lacks values, which are not read outside of observed cells
    wrappers: Wrappers = ()  # the wrappers around the user's function; set for the first miss of a function object
    alike: int = 0  # the number of earlier function objects with the same wrappers
    making: Making | None = None  # the place that made the function object; None for the first object or if unknown
    captured: Sequence[str] = ()  # the values that the function object reads from enclosing functions
    method: bool = False  # true for a method bound to its object; set for the first miss of a function object
    callable_class: str = ""  # the class of a called object that is no function; set for the object's first miss
    changed: Sequence[ChangedValue] = ()  # outside values that differ from the values of the previous function object
    unread: Sequence[str] = ()  # the names of outside values that may have changed
    construct: Construct | None = None  # the construct that JAX compiled outside of jit
    another: bool = False  # true if functions with other code or options stand on the same line, such as lambdas
    reasons: tuple[Reason, ...] | None = None  # computed at the first request
    entry: int = -1  # the index of the entry of the function; computed at the first request
    signature: str | None = None  # computed at the first request
    trace: float | None = None  # the seconds of JAX's trace
    lower: float | None = None
    compile: float | None = None
    total: float | None = None

    @property
    def seconds(self) -> float:
        """The seconds of the miss: trace, lower and compile together."""
        return (self.trace or 0.0) + (self.lower or 0.0) + (self.compile or 0.0)

    @property
    def made_entry(self) -> bool:
        """True if JAX holds an entry for the key after the call."""
        return self.outcome in ("dispatch_only", "lowered", "compiled", "compiled_from_disk")


_NO_ENTRY = MissEvent(0, 0, -1, None, None)
"""Replaces an event whose function object is forget_object, so that the other entries keep their indices."""


@dataclass(slots=True)
class Counts:
    """Counts of one function, by JAX's events and by outcome."""

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
        """Return the difference between these counts and earlier ones."""
        return Counts(*(getattr(self, name) - getattr(earlier, name) for name in self.__slots__))

    def copy(self) -> Counts:
        """Return a copy of the counts."""
        return Counts(*(getattr(self, name) for name in self.__slots__))


@dataclass(slots=True, eq=False)
class FunctionHistory:
    """The memory of one function of the user's in this kernel."""

    name: str
    definition: Place | None  # the def of the newest function object
    events: deque[MissEvent] = field(default_factory=lambda: deque(maxlen=EVENTS_PER_FUNCTION))
    counts_of: dict[int, Counts] = field(default_factory=dict)  # the counts of each thread that is alive, by its id
    counts_gone: Counts = field(default_factory=Counts)  # the summed counts of threads that have ended
    compiled_at: float = -math.inf  # the time of the last counted compile, by `time.perf_counter`
    objects: int = 0
    last_seen: int = -1  # the number of the cell execution in which the newest function object was first seen
    # the event that made each entry; filled at the first request
    entries: list[MissEvent] = field(default_factory=list)
    by_hash: dict[int, list[int]] = field(default_factory=dict)
    # the number of entries at which dead function objects are dropped next
    looked_through_at: int = EVENTS_PER_FUNCTION
    newest: weakref.ref[FunctionType] | None = None  # the user's function inside the newest function object
    wrapped: dict[Wrapped, NewestObject] = field(default_factory=dict)
    full_record: FunctionRecord | None = None  # the record of all events, None if outdated
    full_record_at: int = 0  # the number of cache clears when `full_record` was made
    alive: dict[int, weakref.ref[Any]] = field(default_factory=dict)  # the function objects by their number
    # the jitted function of each function object, if it was seen
    jitted: dict[int, weakref.ref[Any]] = field(default_factory=dict)

    def is_alive(self, number: int) -> bool:
        """Return whether a function object still exists."""
        return number in self.alive and self.alive[number]() is not None

    @property
    def last_number(self) -> int:
        """The number of its newest event."""
        return self.events[-1].number if self.events else 0

    def forget_entries(self) -> None:
        """Drop the keys of entries whose function object is gone and whose events are no longer kept."""
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

    def live(self, number: int, fun: Any) -> None:
        """Keep a weak reference to a new function object.

        JAX drops the entries of a function object with the object, so the end of the object clears `full_record`.
        """

        def forget_object(_: object) -> None:
            self.alive.pop(number, None)
            self.jitted.pop(number, None)
            self.full_record = None

        self.alive[number] = weakref.ref(fun, forget_object)

    def called(self, number: int, jitted: Any) -> None:
        """Keep a weak reference to the jitted function that was called for a function object."""
        earlier = self.jitted.get(number)
        if earlier is None or earlier() is None:
            self.jitted[number] = weakref.ref(jitted)

    def count_alike(self, event: MissEvent, first: FunctionObject, fun: Any) -> None:
        """Record on `event`, the first miss of a function object, the number of earlier objects with the same wrappers.

        The values that changed since the previous object are recorded too: an object that it read may be gone later.
        """
        event.partial, event.partial_read = first.partial, first.partial_read
        event.wrappers, event.method, event.callable_class = first.wrappers, first.method, first.callable_class
        key = first.wrappers, first.partial is not None, first.callable_class, first.apart
        last = self.wrapped.get(key)
        if last is not None:
            event.alike = last.objects
            is_plain_function = not first.wrappers and type(unwrap(fun)) is FunctionType
            code = code_of(fun) if is_plain_function else None
            plain = None if code is None or is_installed(file_of(code)) else code
            event.making = making_of(plain, event.place)
            event.captured = kept_values(plain, first.outside)
            event.changed = changed_values(last.outside, first.outside)
            event.unread = unread_values(last.outside, first.outside)
        event.another = any(wrapping[:3] == key[:3] and wrapping[3] != first.apart for wrapping in self.wrapped)
        self.wrapped[key] = NewestObject(event.alike + 1, first.outside)

    def counts_on(self, thread: int | None) -> Counts:
        """Return the counts of one thread; of all threads where `thread` is None."""
        if thread is not None:
            return self.counts_of.get(thread, Counts())
        return sum(list(self.counts_of.values()), self.counts_gone)

    def counts_by(self, thread: int) -> Counts:
        """Return the counts to which the calls of a thread are added."""
        counts = self.counts_of.get(thread)
        if counts is None:
            if len(self.counts_of) >= 100:  # remove the counts of ended threads
                alive = {running.ident for running in threading.enumerate()}
                for ended in [ident for ident in self.counts_of if ident not in alive]:
                    self.counts_gone += self.counts_of.pop(ended)
            counts = self.counts_of[thread] = Counts()
        return counts
