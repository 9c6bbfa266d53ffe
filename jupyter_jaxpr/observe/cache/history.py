"""Each miss of a user's function in, the kernel's memory of them out: what was called with which key, and what it took.

- `MissEvent`: one call that missed, or that ran while another function was traced.
- `FunctionHistory`: all of one function's, function objects of one name and place being one.
- `History`: all functions, for as long as the kernel lives; which cell was executed when.

It holds keys (types and static values), never arrays, and is bounded: the newest events of each function are kept, the
counts go on. Of functions whose objects are all gone the last `GONE_KEPT` are kept.
"""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import FunctionType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...jax.eager import Construct
from ...jax.facts import COMPILE_EVENT, LOWER_EVENT, TRACE_EVENT, partial_of
from ...plain_text import exact, file_of
from ..functions import code_of, is_installed, unwrap
from ..observation import Outcome, Place
from ..stages import CallStages, Tally
from ..value_texts import NOTHING_CALLED, Reading
from .closed_over import ChangedValue, Outside, changed_values, kept_values, unread_values, values_outside
from .keys import Key, is_plain
from .reason import Reason
from .where_made import Making, making_of
from .wrapped_functions import Wrappers, equinox_wrappers, options_of, wrappers_of

if TYPE_CHECKING:
    from ..calls.call_lines import CallLines
    from ..run import FunctionActivity
    from .ledger import Calls, FunctionRecord, Ledger

#: What is around a function, whether it is a partial of it, and as a hash what else tells functions of a line apart.
Wrapped = tuple[Wrappers, bool, int]

EVENTS_PER_FUNCTION = 512
GONE_KEPT = 256
_CELLS_KEPT = 4_096
ENDED = 256
"""Calls that are over and not counted yet, at most: they are counted together, when someone asks or at the end."""


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
    wrapped: dict[Wrapped, _Last] = field(default_factory=dict)
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

    def count_alike(self, event: MissEvent, first: _First, fun: Any) -> None:
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
        self.wrapped[key] = _Last(event.alike + 1, first.outside)

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


_NO_ENTRY = MissEvent(0, 0, -1, None, None)
"""In the place of an event that made an entry of a function object that is gone: the others keep their numbers."""


class History:
    """The memory of a kernel."""

    def __init__(self, clears: Callable[[], int] = lambda: 0) -> None:
        self.clears = clears  # how often JAX's caches were cleared until now
        self._functions: dict[tuple[str, str, int], FunctionHistory] = {}
        self._forgotten: set[str] = set()  # the names of functions that were let go of
        self._ledgers: list[weakref.ref[Ledger]] = []  # of blocks that are not over
        self._ended: deque[_Ended] = deque()
        self.number = 0
        # By id: to be in a set, a callable of the user's would be asked for its hash.
        self._held_before: dict[int, weakref.ref[Any]] = {}
        self._cell_of: dict[str, str] = {}  # file of a cell -> what the cell is known by
        self._executed: dict[str, int] = {}  # the latest execution of each
        self._executions = 0
        self._count_of: dict[str, int | None] = {}  # the number of each cell by its file
        # Reentrant: a garbage collection may come at any line, and an object's end may call a jitted function.
        self._lock = threading.RLock()

    # --- told by the host ---

    def executed(self, file: str, cell_id: str | None, count: int | None = None) -> None:
        """A cell is about to be executed as In [count]; its code carries `file`."""
        self._executions += 1
        cell = cell_id or file
        by_file: tuple[tuple[dict[str, Any], str, Any], ...] = (
            (self._cell_of, file, cell),
            (self._executed, cell, self._executions),
            (self._count_of, file, count),
        )
        for known, name, value in by_file:
            known.pop(name, None)
            known[name] = value
            if len(known) > _CELLS_KEPT:
                del known[next(iter(known))]

    @property
    def cell_numbers(self) -> Mapping[str, int | None]:
        """The number n of each cell, which ran as In [n], by its file."""
        return self._count_of

    def held_before(self, functions: Iterable[Any]) -> None:
        """JAX already holds entries of these functions, made before anything was observed."""
        for function in functions:
            try:
                self._held_before[id(function)] = weakref.ref(function)
            except TypeError:  # not every callable can be referred to weakly
                continue

    # --- told by the observer ---

    def begin(
        self, record: Any, fun: Any, key: Key | None, place: Place | None, reading: Reading = NOTHING_CALLED
    ) -> MissEvent:
        """A call has missed; `record` stands for its function object, `reading` says what may be called of the user's.

        What is asked of the user's objects is asked before the lock is taken.
        """
        first = None if record.missed else _first(record, fun, key, reading)
        record.missed = True
        with self._lock:
            history, number, rerun = record.history or self._of(record)
            self.number += 1
            event = MissEvent(self.number, threading.get_ident(), number, key, place, rerun=rerun)
            event.construct = record.construct
            event.clears = self.clears()
            if number not in history.alive:
                history.live(number, fun)
            event.cell = None if place is None else self._count_of.get(place.file)
            if first is not None:
                event.held_before = bool(self._held_before) and self._is_held_before(fun)
                history.count_alike(event, first, fun)
                event.reloaded = self._is_reloaded(history, unwrap(fun))
            history.events.append(event)
            history.whole = None
            return event

    def inlined(self, record: Any, place: Place | None) -> None:
        """A function was called while another one was traced."""
        with self._lock:
            history, number, _ = self._of(record)
            self.number += 1
            thread = threading.get_ident()
            event = MissEvent(self.number, thread, number, None, place, "inlined")
            history.counts_by(thread).inlined += 1
            history.events.append(event)
            history.whole = None

    def end(
        self,
        record: Any,
        event: MissEvent,
        stages: CallStages,
        raised: bool,
        total: float,
        activity: FunctionActivity | None = None,
        lines: CallLines | None = None,
    ) -> None:
        """The call is over.

        It is counted later: right after a compilation, which leaves the processor's caches empty, each line of Python
        takes ten times as long.

        Args:
            record: Of its function object.
            event: What `begin` gave.
            stages: What JAX did for it; to be changed no more.
            raised: Whether it raised.
            total: Its seconds.
            activity: Where a run counts it too.
            lines: Likewise, by line.
        """
        self._ended.append((record.history[0], event, stages, raised, total, activity, lines))
        if len(self._ended) >= ENDED:
            self.count()

    def count(self) -> None:
        """Count the calls that are over; another thread may be at it, and is waited for."""
        with self._lock:
            while self._ended:
                self._count_call(*self._ended.popleft())

    def _count_call(
        self,
        history: FunctionHistory,
        event: MissEvent,
        stages: CallStages,
        raised: bool,
        total: float,
        activity: FunctionActivity | None,
        lines: CallLines | None,
    ) -> None:
        history.whole = None
        tally = stages.tally()
        seconds = tally.seconds
        event.trace, event.lower = seconds.get(TRACE_EVENT), seconds.get(LOWER_EVENT)
        event.compile = seconds.get(COMPILE_EVENT)
        event.total = total
        event.outcome = outcome = _outcome(tally, raised)
        counts = history.counts_by(event.thread)
        counts.misses += 1
        counts.raised += outcome == "raised"
        counts.dispatch_only += outcome == "dispatch_only"
        self._count(history, event.thread, tally, event.seconds)
        if activity is not None:
            activity.add(tally)
            activity.raised += raised
        if lines is not None:
            lines.missed(event.place, outcome, tally.compiles)

    def stages_only(self, record: Any, stages: CallStages) -> None:
        """JAX worked for a function outside a call of its own: for a program derived from it."""
        self.worked(self.of(record), stages)

    def of(self, record: Any) -> FunctionHistory:
        """The history of a function object."""
        with self._lock:
            return self._of(record)[0]

    def worked(self, history: FunctionHistory, stages: CallStages) -> None:
        """JAX worked for a function on this thread, and there is no call to credit it to."""
        with self._lock:
            history.whole = None
            tally = stages.tally()
            self._count(history, threading.get_ident(), tally, sum(tally.seconds.values()))

    def _count(self, history: FunctionHistory, thread: int, tally: Tally, seconds: float) -> None:
        if tally.compiles:
            history.compiled_at = time.perf_counter()
        counts = history.counts_by(thread)
        counts.traces += tally.traces
        counts.lowerings += tally.lowerings
        counts.compiles += tally.compiles
        counts.from_disk += tally.from_disk
        counts.seconds += seconds

    # --- read ---

    @property
    def functions(self) -> dict[tuple[str, str, int], FunctionHistory]:
        """The functions by what makes them one, every call that is over counted."""
        self.count()
        return self._functions

    def ledger(self, thread: int | None, calls: Callable[[], list[Calls]], reading: Reading) -> Ledger:
        """A ledger of what happens from now on, on one thread or on all."""
        from .ledger import Ledger

        self._forget_functions()
        before = {id(function): function.counts_on(thread).copy() for function in self.functions.values()}
        made = Ledger(self, thread, self.number, before, calls, reading)
        self._ledgers.append(weakref.ref(made))
        return made

    def _forget_functions(self) -> None:
        """Let go of the functions that missed longest ago and whose objects are all gone, where no block is under way.

        A block reads its functions at its end.
        """
        with self._lock:
            self._ledgers = [each for each in self._ledgers if (open_ := each()) is not None and not open_.is_closed]
            if self._ledgers or len(self._functions) <= GONE_KEPT:
                return
            self.count()
            gone = [key for key, function in self._functions.items() if not function.alive]
            gone.sort(key=lambda key: self._functions[key].last_number)
            for key in gone[:-GONE_KEPT]:
                self._forgotten.add(self._functions.pop(key).name)

    def whole(self, newest: int, reading: Reading = NOTHING_CALLED) -> Ledger:
        """The ledger of everything seen, on all threads, of the functions that missed last."""
        from .ledger import Ledger

        return Ledger(self, None, 0, {}, list, reading, newest)

    # --- whose ---

    def names(self) -> list[str]:
        """The names of all functions that were seen, each once."""
        return [*dict.fromkeys(name for name, _, _ in list(self._functions)), *self._forgotten]

    def place_key(self, name: str, definition: Place | None) -> tuple[str, str, int]:
        """What makes functions one: their name and the line of their def, in one cell or file."""
        if definition is None:
            return name, "", 0
        return name, self._cell_of.get(definition.file, definition.file), definition.line

    def find(self, name: str, definition: Place | None) -> FunctionHistory | None:
        """The history of a function."""
        return self.functions.get(self.place_key(name, definition))

    def _of(self, record: Any) -> tuple[FunctionHistory, int, bool]:
        """The history of a function object, its number there, and whether a rerun of its cell made it."""
        if record.history is not None:
            found: tuple[FunctionHistory, int, bool] = record.history
            return found
        key = self.place_key(record.name, record.definition)
        history = self._functions.get(key)
        moved = history is None and self._was_on_another_line(key)
        if history is None:
            history = self._functions[key] = FunctionHistory(record.name, record.definition)
        number = history.objects
        history.objects += 1
        history.definition = record.definition
        rerun = moved or (number > 0 and self._executed.get(key[1], -1) > history.last_seen)
        history.last_seen = self._executions
        record.history = history, number, rerun
        return history, number, rerun

    def _was_on_another_line(self, key: tuple[str, str, int]) -> bool:
        """Whether an earlier execution of the cell made this function, on a line that was moved since."""
        name, cell, _ = key
        executed = self._executed.get(cell, -1)
        same = [each for (other, place, _), each in self._functions.items() if (other, place) == (name, cell)]
        return bool(same) and all(each.last_seen < executed for each in same)

    def _is_reloaded(self, history: FunctionHistory, inner: Any) -> bool:
        """Whether the file of a function was executed again: its code stands outside of any function, so it runs once.

        Args:
            history: Of the function.
            inner: The user's function inside the new function object.
        """
        place = history.definition
        if type(inner) is not FunctionType or place is None or "<locals>" in place.function or self._is_cell(place):
            return False
        if inner.__globals__.get("__file__") != place.file:  # code that was given to exec under the name of a file
            return False
        before = [history]
        if history.newest is None:  # the file may have been edited: the function may stand on another line now
            before = [
                each
                for each in self._functions.values()
                if each.definition and (each.definition.file, each.definition.function) == (place.file, place.function)
            ]
        history.newest, known = weakref.ref(inner), [each.newest for each in before if each.newest is not None]
        return bool(known) and all(each() is not inner for each in known)

    def _is_cell(self, place: Place) -> bool:
        return place.file in self._cell_of or place.file.startswith("<") or "ipykernel_" in place.file

    def _is_held_before(self, fun: Any) -> bool:
        held = self._held_before.get(id(fun))
        return held is not None and held() is fun


_Ended = tuple[FunctionHistory, MissEvent, CallStages, bool, float, "FunctionActivity | None", "CallLines | None"]


class _First(NamedTuple):
    """What a function object is, read at its first miss."""

    wrappers: Wrappers = ()  # what is around the user's function
    partial: dict[str, str] | None = None  # what a `functools.partial` binds, as text
    partial_read: bool = True  # whether that says what the values are
    method: bool = False  # a method with its object
    apart: int = hash(((), ()))  # what else tells functions of a line apart
    outside: Mapping[str, Outside] = MappingProxyType({})  # what it reads from outside of its arguments


class _Last(NamedTuple):
    """The function objects of one wrapping so far."""

    objects: int
    outside: Mapping[str, Outside]  # what the last reads


def _first(record: Any, fun: Any, key: Key | None, reading: Reading) -> _First:
    """Read a function object; asks what `reading` lets it ask."""
    equinox = None if key is None else key.function
    name, outside = record.name, _outside(record, fun, reading)
    # One line may hold several lambdas: where their code is written tells them apart. What a transformation was given,
    # such as in_axes, tells its functions apart.
    if equinox is None and type(fun) is FunctionType and "__wrapped__" not in vars(fun):
        if name != "<lambda>":
            return _First(outside=outside)
        return _First((), None, True, False, hash((tuple(fun.__code__.co_positions()), ())), outside)
    code = code_of(fun) if name == "<lambda>" else None
    positions = () if code is None else tuple(code.co_positions())
    wrappers = wrappers_of(fun)
    if key is not None and key.options.by == "pmap" and wrappers[:1] == ("jax.shard_map",):
        wrappers = wrappers[1:]  # JAX's own: `jax.pmap` is made of it
    if equinox is not None:
        wrappers = ("equinox.filter_jit", *equinox_wrappers(equinox.type), *wrappers)
    texts = None
    read = True
    if issubclass(type(fun), partial):
        bound = partial_of(fun)
        values: dict[str, Any] = {f"argument {n}": value for n, value in enumerate(bound.args)}
        values.update((exact(name), value) for name, value in bound.keywords.items())
        texts = {name: reading.text(value) for name, value in values.items()}
        read = reading.calls or all(map(is_plain, values.values()))
    return _First(wrappers, texts, read, type(fun) is MethodType, hash((positions, options_of(fun))), outside)


def _outside(record: Any, fun: Any, reading: Reading) -> Mapping[str, Outside]:
    """What a function object reads from outside of its arguments; of a construct, what its body reads."""
    construct = record.construct
    if construct is not None:
        fun = None if construct.function is None else construct.function()
    return values_outside(fun, reading)


def _outcome(tally: Tally, raised: bool) -> Outcome:
    if raised:
        return "raised"
    if tally.compiles:
        return "compiled"
    if tally.from_disk:
        return "compiled_from_disk"
    return "lowered" if tally.lowerings else "dispatch_only"
