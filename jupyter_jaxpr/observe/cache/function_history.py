"""The memory of one function: its calls that missed, its counts, and its function objects.

- `MissEvent`: one call that missed, or that ran while another function was traced.
- `FunctionHistory`: all of one function's events, function objects of one name and place being one function.

It holds keys (types and static values), never arrays, and is bounded: the newest events are kept, the counts go on.
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

from ...jax.eager import Construct
from ...plain_text import file_of
from ..functions import code_of, is_installed, unwrap
from ..observation import Outcome, Place
from .closed_over import ChangedValue, changed_values, kept_values, unread_values
from .function_objects import FunctionObject, NewestObject
from .keys import Key
from .reason import Reason
from .where_made import Making, making_of
from .wrapped_functions import Wrappers

if TYPE_CHECKING:
    from .ledger import FunctionRecord


#: What is around a function, whether it is a partial of it, and as a hash what else tells functions of a line apart.
Wrapped = tuple[Wrappers, bool, int]


EVENTS_PER_FUNCTION = 512


@dataclass(slots=True, eq=False)
class MissEvent:
    """One call that missed JAX's C++ cache, or was inlined into a trace."""

    number: int  # in the order of this kernel
    thread: int
    function_object: int  # which function object of its history, from 0
    key: Key | None  # None where it was inlined, or could not be taken
    place: Place | None
    outcome: Outcome | None = None  # None while it runs
    fast_path: bool = False  # later calls with this key hit
    effects: tuple[str, ...] = ()  # of its program, where they may be why there is no fast path
    held_before: bool = False  # JAX held entries of this function object that were made unobserved
    rerun: bool = False  # its cell was executed again since the object before was first seen
    clears: int = 0  # how often JAX's caches had been cleared before
    reloaded: bool = False  # the file of its def was executed again since the object before
    cell: int | None = None  # the number in In [n] of the cell that made the call
    partial: dict[str, str] | None = None  # what a functools.partial binds, as text
    partial_read: bool = True  # whether the text says what the values are; outside of observed cells it may not
    wrappers: Wrappers = ()  # around the user's function, of the first miss of its function object
    alike: int = 0  # function objects before it that are wrapped alike
    making: Making | None = None  # where its function object was made, if there is one before it and that is known
    kept: Sequence[str] = ()  # what its function object reads of the functions around it
    method: bool = False  # a method with its object, likewise of the first miss of its function object
    changed: Sequence[ChangedValue] = ()  # what its function object reads from outside, other than the last of those
    unread: Sequence[str] = ()  # the names that it reads from outside whose values may be others
    construct: Construct | None = None  # that JAX compiled outside of jit
    another: bool = False  # there are others on its line: other lambdas, or transformed with other options
    reasons: tuple[Reason, ...] | None = None  # worked out when first asked for
    entry: int = -1  # index into the entries of its function, likewise
    signature: str | None = None  # likewise
    trace: float | None = None  # seconds
    lower: float | None = None
    compile: float | None = None
    total: float | None = None

    @property
    def seconds(self) -> float:
        """What the miss cost: trace, lower and compile together."""
        return (self.trace or 0.0) + (self.lower or 0.0) + (self.compile or 0.0)

    @property
    def made_entry(self) -> bool:
        """Whether JAX holds an entry for its key afterwards."""
        return self.outcome in ("dispatch_only", "lowered", "compiled", "compiled_from_disk")


_NO_ENTRY = MissEvent(0, 0, -1, None, None)
"""In the place of an event that made an entry of a function object that is gone: the others keep their numbers."""


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
        """What was added since an earlier reading."""
        return Counts(*(getattr(self, name) - getattr(earlier, name) for name in self.__slots__))

    def copy(self) -> Counts:
        """The reading of now."""
        return Counts(*(getattr(self, name) for name in self.__slots__))


@dataclass(slots=True, eq=False)
class FunctionHistory:
    """What one function of the user's has done in this kernel."""

    name: str
    definition: Place | None  # of its newest function object
    events: deque[MissEvent] = field(default_factory=lambda: deque(maxlen=EVENTS_PER_FUNCTION))
    counts_of: dict[int, Counts] = field(default_factory=dict)  # of each thread that is alive
    counts_gone: Counts = field(default_factory=Counts)  # of those that are not
    compiled_at: float = -math.inf  # when a compile was last counted, by `time.perf_counter`
    objects: int = 0
    last_seen: int = -1  # execution of cells in which the newest function object was first seen
    entries: list[MissEvent] = field(default_factory=list)  # the event that made each, once asked for
    by_hash: dict[int, list[int]] = field(default_factory=dict)
    looked_through_at: int = EVENTS_PER_FUNCTION  # entries, when those of objects that are gone are let go of next
    newest: weakref.ref[FunctionType] | None = None  # the user's function inside the newest function object
    wrapped: dict[Wrapped, NewestObject] = field(default_factory=dict)
    whole: FunctionRecord | None = None  # of everything seen, as last read; None when something was added since
    whole_at: int = 0  # how often JAX's caches had been cleared then
    alive: dict[int, weakref.ref[Any]] = field(default_factory=dict)  # the function objects by number
    jitted: dict[int, weakref.ref[Any]] = field(default_factory=dict)  # what was called of each, where that was seen

    def is_alive(self, number: int) -> bool:
        """Whether a function object is there still."""
        return number in self.alive and self.alive[number]() is not None

    @property
    def last_number(self) -> int:
        """The number of its newest event."""
        return self.events[-1].number if self.events else 0

    def forget_entries(self) -> None:
        """Let go of the keys of entries that are gone with their function object, now that its events are gone, too."""
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
        """A function object has come; its end is noticed, for the entries of JAX's cache go with it."""

        def gone(_: object) -> None:
            self.alive.pop(number, None)
            self.jitted.pop(number, None)
            self.whole = None

        self.alive[number] = weakref.ref(fun, gone)

    def called(self, number: int, jitted: Any) -> None:
        """What `jax.jit` made of a function object was called."""
        known = self.jitted.get(number)
        if known is None or known() is None:
            self.jitted[number] = weakref.ref(jitted)

    def count_alike(self, event: MissEvent, first: FunctionObject, fun: Any) -> None:
        """Tell the first miss of a function object how many were wrapped as it is, and what changed since the last.

        What changed is told now: an object that the last one read may be gone later.
        """
        event.partial, event.partial_read = first.partial, first.partial_read
        event.wrappers, event.method = first.wrappers, first.method
        key = first.wrappers, first.partial is not None, first.apart
        last = self.wrapped.get(key)
        if last is not None:
            event.alike = last.objects
            is_plain_function = not first.wrappers and type(unwrap(fun)) is FunctionType
            code = code_of(fun) if is_plain_function else None
            plain = None if code is None or is_installed(file_of(code)) else code
            event.making = making_of(plain, event.place)
            event.kept = kept_values(plain, first.outside)
            event.changed = changed_values(last.outside, first.outside)
            event.unread = unread_values(last.outside, first.outside)
        event.another = any(each[:2] == key[:2] and each[2] != first.apart for each in self.wrapped)
        self.wrapped[key] = NewestObject(event.alike + 1, first.outside)

    def counts_on(self, thread: int | None) -> Counts:
        """The counts of one thread, or of all."""
        if thread is not None:
            return self.counts_of.get(thread, Counts())
        return sum(list(self.counts_of.values()), self.counts_gone)

    def counts_by(self, thread: int) -> Counts:
        """Where to count what a thread does."""
        own = self.counts_of.get(thread)
        if own is None:
            if len(self.counts_of) >= 100:  # threads come and go
                alive = {each.ident for each in threading.enumerate()}
                for gone in [ident for ident in self.counts_of if ident not in alive]:
                    self.counts_gone += self.counts_of.pop(gone)
            own = self.counts_of[thread] = Counts()
        return own
