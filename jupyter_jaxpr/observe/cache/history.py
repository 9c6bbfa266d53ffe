"""Remembers each miss of the user's functions: the key of the call, and its seconds.

`History` holds the history of each function for as long as the kernel lives, and which cell was executed when.

It holds keys (types and static values), never arrays, and is bounded: the newest events of each function are kept, the
counts go on. Of functions whose objects are all gone the last `GONE_KEPT` are kept.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...jax.facts import COMPILE_EVENT, LOWER_EVENT, TRACE_EVENT
from ..code_of_callables import unwrap
from ..observation import Outcome, Place
from ..stages import CallStages, Tally
from ..value_texts import NOTHING_CALLED, Reading
from .cache_key import Key
from .function_history import FunctionHistory, MissEvent
from .function_objects import read_function_object

if TYPE_CHECKING:
    from ..calls.call_lines import CallLines
    from ..cell_run import FunctionActivity
    from .ledger import Calls, Ledger


GONE_KEPT = 256
_CELLS_KEPT = 4_096
ENDED = 256
"""The number of ended calls that wait to be counted.

The calls are counted together, at a request for the counts or when so many calls wait.
"""


class History:
    """The memory of all functions of a kernel."""

    def __init__(self, clears: Callable[[], int] = lambda: 0) -> None:
        self.clears = clears  # returns the number of times that JAX's caches were cleared
        self._functions: dict[tuple[str, str, int], FunctionHistory] = {}
        self._forgotten: set[str] = set()  # the names of dropped functions
        self._ledgers: list[weakref.ref[Ledger]] = []  # the ledgers of blocks that are still running
        self._ended: deque[_Ended] = deque()
        self.number = 0
        # The key is the id of a function: a set would call the __hash__ of a user's callable.
        self._held_before: dict[int, weakref.ref[Any]] = {}
        self._cell_of: dict[str, str] = {}  # the id of the cell, by the file of the cell
        self._executed: dict[str, int] = {}  # the number of the latest execution of a cell, by the id of the cell
        self._executions = 0
        self._count_of: dict[str, int | None] = {}  # the n of In [n], by the file of the cell
        # The lock is reentrant: a garbage collection may run at any line, and a finaliser may call a jitted function.
        self._lock = threading.RLock()

    # --- called by the session of the magic ---

    def executed(self, file: str, cell_id: str | None, count: int | None = None) -> None:
        """Record that a cell, whose code carries the name `file`, is about to run as In [count]."""
        self._executions += 1
        cell = cell_id or file
        by_file: tuple[tuple[dict[str, Any], str, Any], ...] = (
            (self._cell_of, file, cell),
            (self._executed, cell, self._executions),
            (self._count_of, file, count),
        )
        for table, name, value in by_file:
            table.pop(name, None)
            table[name] = value
            if len(table) > _CELLS_KEPT:
                del table[next(iter(table))]

    @property
    def cell_numbers(self) -> Mapping[str, int | None]:
        """The n of In [n] for each cell, by the cell's file."""
        return self._count_of

    def held_before(self, functions: Iterable[Any]) -> None:
        """Record that JAX already held entries of these functions before the observation began."""
        for function in functions:
            try:
                self._held_before[id(function)] = weakref.ref(function)
            except TypeError:  # not every callable can be referred to weakly
                continue

    # --- called by the observer ---

    def begin(
        self, record: Any, fun: Any, key: Key | None, place: Place | None, reading: Reading = NOTHING_CALLED
    ) -> MissEvent:
        """Record that a call has missed; methods of the user's objects are called before the lock is taken."""
        first = None if record.missed else read_function_object(record, fun, key, reading)
        record.missed = True
        with self._lock:
            history, number, rerun = record.history or self._history_of(record)
            self.number += 1
            event = MissEvent(self.number, threading.get_ident(), number, key, place, rerun=rerun)
            event.construct = record.construct
            event.clears = self.clears()
            if number not in history.alive:
                history.live(number, fun)
            event.cell = None if place is None else self._count_of.get(place.file)
            if first is not None:
                event.definition = record.definition
                if event.definition is not None:
                    event.definition_cell = self._count_of.get(event.definition.file)
                event.held_before = bool(self._held_before) and self._is_held_before(fun)
                history.count_alike(event, first, fun)
                event.reloaded = self._is_reloaded(history, unwrap(fun))
            history.events.append(event)
            history.full_record = None
            return event

    def inlined(self, record: Any, place: Place | None) -> None:
        """Record a call that JAX inlined into the trace of another function."""
        with self._lock:
            history, number, _ = self._history_of(record)
            self.number += 1
            thread = threading.get_ident()
            event = MissEvent(self.number, thread, number, None, place, "inlined")
            history.counts_by(thread).inlined += 1
            history.events.append(event)
            history.full_record = None

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
        """Record that a call has ended.

        The call is counted later: a compilation leaves the processor's caches empty, so that a line of Python right
        after it takes ten times as long.

        Args:
            record: The record of the function object.
            event: The event that `begin` returned.
            stages: The stages of the call; the caller no longer changes them.
            raised: True if the call raised.
            total: The seconds of the whole call.
            activity: The counts of the run, if a run counts the call too.
            lines: The counts by line, if a run counts the call too.
        """
        self._ended.append((record.history[0], event, stages, raised, total, activity, lines))
        if len(self._ended) >= ENDED:
            self.count()

    def count(self) -> None:
        """Count the calls that have ended; where another thread is counting, wait for that thread."""
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
        history.full_record = None
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
        """Count stages of a program that JAX derived from a function, without a call of the function."""
        self.worked(self.of(record), stages)

    def of(self, record: Any) -> FunctionHistory:
        """Return the history of a function object."""
        with self._lock:
            return self._history_of(record)[0]

    def worked(self, history: FunctionHistory, stages: CallStages) -> None:
        """Count the stages of a function on this thread that belong to no call."""
        with self._lock:
            history.full_record = None
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
        """The histories by name and place, after all ended calls are counted."""
        self.count()
        return self._functions

    def ledger(self, thread: int | None, calls: Callable[[], list[Calls]], reading: Reading) -> Ledger:
        """Return a ledger that records from now on, on one thread or on all threads."""
        from .ledger import Ledger

        self._forget_functions()
        before = {id(function): function.counts_on(thread).copy() for function in self.functions.values()}
        ledger = Ledger(self, thread, self.number, before, calls, reading)
        self._ledgers.append(weakref.ref(ledger))
        return ledger

    def _forget_functions(self) -> None:
        """Drop the functions that missed longest ago and have no living objects, unless a block is running.

        A ledger reads its functions at the end of its block.
        """
        with self._lock:
            self._ledgers = [
                reference for reference in self._ledgers if (open_ := reference()) is not None and not open_.is_closed
            ]
            if self._ledgers or len(self._functions) <= GONE_KEPT:
                return
            self.count()
            dead_keys = [key for key, function in self._functions.items() if not function.alive]
            dead_keys.sort(key=lambda key: self._functions[key].last_number)
            for key in dead_keys[:-GONE_KEPT]:
                self._forgotten.add(self._functions.pop(key).name)

    def full_ledger(self, newest: int, reading: Reading = NOTHING_CALLED) -> Ledger:
        """Return the ledger of all threads since the kernel started, with the `newest` functions by last miss."""
        from .ledger import Ledger

        return Ledger(self, None, 0, {}, list, reading, newest)

    # --- whose ---

    def names(self) -> list[str]:
        """Return the names of all functions that were seen, without repetition."""
        return [*dict.fromkeys(name for name, _, _ in list(self._functions)), *self._forgotten]

    def place_key(self, name: str, definition: Place | None) -> tuple[str, str, int]:
        """Return the key of a function's history: the name, and the cell or file and the line of the def."""
        if definition is None:
            return name, "", 0
        return name, self._cell_of.get(definition.file, definition.file), definition.line

    def find(self, name: str, definition: Place | None) -> FunctionHistory | None:
        """Return the history of a function; None if there is none."""
        return self.functions.get(self.place_key(name, definition))

    def _history_of(self, record: Any) -> tuple[FunctionHistory, int, bool]:
        """Return the history of a function object, its index there, and whether a rerun of its cell made the object."""
        if record.history is not None:
            earlier: tuple[FunctionHistory, int, bool] = record.history
            return earlier
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
        """Return whether an earlier execution of the cell made this function on another line."""
        name, cell, _ = key
        executed = self._executed.get(cell, -1)
        functions = [
            function
            for (known_name, place, _), function in self._functions.items()
            if (known_name, place) == (name, cell)
        ]
        return bool(functions) and all(function.last_seen < executed for function in functions)

    def _is_reloaded(self, history: FunctionHistory, inner: Any) -> bool:
        """Return whether the file of a function was executed again.

        The def is at the top level of the file, so that one execution of the file makes one object.

        Args:
            history: The history of the function.
            inner: The user's function inside the new function object.
        """
        place = history.definition
        if type(inner) is not FunctionType or place is None or "<locals>" in place.function or self._is_cell(place):
            return False
        if inner.__globals__.get("__file__") != place.file:  # exec ran this code under the name of a file
            return False
        before = [history]
        if history.newest is None:  # The file may have been edited: look for the function on its earlier lines.
            before = [
                function
                for function in self._functions.values()
                if function.definition
                and (function.definition.file, function.definition.function) == (place.file, place.function)
            ]
        history.newest, references = (
            weakref.ref(inner),
            [function.newest for function in before if function.newest is not None],
        )
        return bool(references) and all(reference() is not inner for reference in references)

    def _is_cell(self, place: Place) -> bool:
        return place.file in self._cell_of or place.file.startswith("<") or "ipykernel_" in place.file

    def _is_held_before(self, fun: Any) -> bool:
        reference = self._held_before.get(id(fun))
        return reference is not None and reference() is fun


_Ended = tuple[FunctionHistory, MissEvent, CallStages, bool, float, "FunctionActivity | None", "CallLines | None"]


def _outcome(tally: Tally, raised: bool) -> Outcome:
    if raised:
        return "raised"
    if tally.compiles:
        return "compiled"
    if tally.from_disk:
        return "compiled_from_disk"
    return "lowered" if tally.lowerings else "dispatch_only"
