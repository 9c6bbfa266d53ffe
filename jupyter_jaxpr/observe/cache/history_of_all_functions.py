"""Keeps the history of all user functions in a kernel: the cache key and the seconds of each miss.

`History` also records the executions of cells. A history keeps keys (types and static values), never arrays. Its size
is limited: all events are counted, but only the newest events of each function are kept. Of functions without a living
function object, the last `GONE_KEPT` are kept.
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
from ..functions.function_inside_wrappers import unwrap
from ..observation import Outcome, Place
from ..reprs_of_users_values import NOTHING_CALLED, Reading
from ..stage_times_of_call import CallStages, Tally
from .bound_and_outside_values import read_function_object
from .equal_callables import equal_objects
from .history_of_one_function import EarlierDefinition, FunctionHistory, MissEvent
from .types_and_layouts_of_key import Key

if TYPE_CHECKING:
    from ..calls.counted_lines import CallLines
    from ..cell_run import FunctionActivity
    from .ledger_for_scripts import Ledger
    from .ledger_rows import Calls


GONE_KEPT = 256
_CELLS_KEPT = 4_096
ENDED = 256
"""The number of ended calls that wait to be counted.

The calls are counted together, at a request for the counts or when so many calls wait.
"""


class History:
    """The history of all user functions in a kernel.

    Attributes:
        clears: a function that returns how often JAX's caches were cleared.
    """

    def __init__(self, clears: Callable[[], int] = lambda: 0) -> None:
        self.clears = clears
        self._functions: dict[tuple[str, str, int], FunctionHistory] = {}
        self._forgotten: set[str] = set()  # The names of functions whose history was dropped.
        self._ledgers: list[weakref.ref[Ledger]] = []  # Weak references to ledgers whose `with` block has not ended.
        self._ended: deque[_Ended] = deque()
        self.number = 0
        # id of a function -> weak reference to the function. A set of functions would call the `__hash__` of a user's
        # callable.
        self._held_before: dict[int, weakref.ref[Any]] = {}
        self._cell_of: dict[str, str] = {}  # File of a cell -> cell id.
        self._executed: dict[str, int] = {}  # Cell id -> number of its latest execution.
        self._executions = 0
        self._count_of: dict[str, int | None] = {}  # File of a cell -> the n of In [n].
        self._names_of: dict[str, object] = {}  # File of a cell -> an object that stands for its global names.
        # The lock is reentrant: a garbage collection may happen on any line, and a finaliser may then call a jitted
        # function.
        self._lock = threading.RLock()

    # --- methods that the cell observer calls ---

    def executed(self, file: str, cell_id: str | None, count: int | None = None, names: object = None) -> None:
        """Record that a cell is about to run as In [count].

        Args:
            file: The `co_filename` of the code of the cell.
            cell_id: The id of the cell; None if the cell has none.
            count: The n of In [n].
            names: An object that stands for the global names of the cell: a process may have several shells.
        """
        self._executions += 1
        cell = cell_id or file
        by_file: tuple[tuple[dict[str, Any], str, Any], ...] = (
            (self._cell_of, file, cell),
            (self._executed, cell, self._executions),
            (self._count_of, file, count),
            (self._names_of, file, names),
        )
        for table, name, value in by_file:
            table.pop(name, None)
            table[name] = value
            if len(table) > _CELLS_KEPT:
                del table[next(iter(table))]

    @property
    def cell_numbers(self) -> Mapping[str, int | None]:
        """The n of In [n] of each executed cell, by the file of the cell."""
        return self._count_of

    def held_before(self, functions: Iterable[Any]) -> None:
        """Record that JAX had entries of these functions before the observation began."""
        for function in functions:
            try:
                self._held_before[id(function)] = weakref.ref(function)
            except TypeError:  # some callables allow no weak reference, and are not recorded
                continue

    # --- methods that the observer calls ---

    def begin(
        self, record: Any, fun: Any, key: Key | None, place: Place | None, reading: Reading = NOTHING_CALLED
    ) -> MissEvent:
        """Record that a call has missed.

        Methods of the user's objects are called before the lock is taken, because they may call jitted functions.
        """
        first = None if record.missed else read_function_object(record, fun, key, reading)
        record.missed = True
        with self._lock:
            history, number, rerun = record.history or self._history_of(record)
            self.number += 1
            event = MissEvent(self.number, threading.get_ident(), number, key, place, rerun=rerun)
            event.construct = record.construct
            event.clears = self.clears()
            if number not in history.alive:
                history.live(number, fun, lambda: self._executions)
            event.cell = None if place is None else self._count_of.get(place.file)
            event.first = record.first_miss
            if first is not None:
                record.first_miss = event
                event.definition = record.definition
                if event.definition is not None:
                    event.definition_cell = self._count_of.get(event.definition.file)
                event.held_before = bool(self._held_before) and self._is_held_before(fun)
                earlier = self._earlier_on_another_line(history)
                history.count_alike(event, first, fun, earlier)
                event.reloaded = self._is_reloaded(history, unwrap(fun))
                is_first = event.alike == 0 and not event.rerun and not event.reloaded
                # `same_code` is None if the earlier history has no function object with the same wrappers
                if is_first and event.same_code is not None and earlier is not None:
                    event.redefines = self._redefined(earlier, history)
            history.events.append(event)
            history.full_record = None
        if event.construct is None:
            # the `__eq__` of a user's class may call jitted functions, so the lock is not held
            event.equal_objects = equal_objects(fun, history.alive, number, reading)
            event.is_compared = reading.calls
        return event

    def inlined(self, record: Any, place: Place | None) -> None:
        """Record a call that JAX inlined while it traced another function."""
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
        """Record that a missed call has ended; `count` adds the call to the counts later.

        Right after a compile the processor's caches are cold, and each line of Python takes ten times as long.

        Args:
            record: The record of the function object.
            event: The event that `begin` returned.
            stages: The stages of the call; the caller must not change them afterwards.
            raised: True if the call raised.
            total: The seconds of the whole call.
            activity: The counts of the function in the current run; None outside of a run.
            lines: The counts of the lines in the current run; None outside of a run.
        """
        self._ended.append((record.history[0], event, stages, raised, total, activity, lines))
        if len(self._ended) >= ENDED:
            self.count()

    def count(self) -> None:
        """Update the counts for all ended calls; if another thread is updating the counts, wait for that thread."""
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
        """Count the stages of a program that JAX derived from a function; no call of the function owns these stages."""
        self.worked(self.of(record), stages)

    def of(self, record: Any) -> FunctionHistory:
        """Return the history to which a function object belongs."""
        with self._lock:
            return self._history_of(record)[0]

    def worked(self, history: FunctionHistory, stages: CallStages) -> None:
        """Count stages that JAX ran for a function on this thread without a call of the function."""
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
        """(name, file, line) -> history of the function.

        The calls that have ended are counted first.
        """
        self.count()
        return self._functions

    def ledger(self, thread: int | None, calls: Callable[[], list[Calls]], reading: Reading) -> Ledger:
        """Return a ledger that records from this moment on, for one thread or for all threads."""
        from .ledger_for_scripts import Ledger

        self._forget_functions()
        before = {id(function): function.counts_on(thread).copy() for function in self.functions.values()}
        ledger = Ledger(self, thread, self.number, before, calls, reading)
        self._ledgers.append(weakref.ref(ledger))
        return ledger

    def _forget_functions(self) -> None:
        """Drop functions without living function objects, oldest miss first, unless a ledger's block is running.

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
        """Return the ledger of all threads since the kernel started.

        The ledger has at most `newest` functions, those with the latest misses.
        """
        from .ledger_for_scripts import Ledger

        return Ledger(self, None, 0, {}, list, reading, newest)

    # --- whose ---

    def names(self) -> list[str]:
        """Return the name of each function that was seen, each once."""
        return [*dict.fromkeys(name for name, _, _ in list(self._functions)), *self._forgotten]

    def place_key(self, name: str, definition: Place | None) -> tuple[str, str, int]:
        """Return the dictionary key of a function's history: its name, the file or cell of its def, and the line."""
        if definition is None:
            return name, "", 0
        return name, self._cell_of.get(definition.file, definition.file), definition.line

    def find(self, name: str, definition: Place | None) -> FunctionHistory | None:
        """Return the history of a function; None if there is none."""
        return self.functions.get(self.place_key(name, definition))

    def _history_of(self, record: Any) -> tuple[FunctionHistory, int, bool]:
        """Return (history, index of the function object, whether a rerun of its cell made the function object)."""
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
        """Return whether an earlier execution of the cell defined this function on another line."""
        name, cell, _ = key
        executed = self._executed.get(cell, -1)
        functions = [
            function
            for (known_name, place, _), function in self._functions.items()
            if (known_name, place) == (name, cell)
        ]
        return bool(functions) and all(function.last_seen < executed for function in functions)

    def _earlier_on_another_line(self, history: FunctionHistory) -> FunctionHistory | None:
        """Return the newest history of the same function on another line of its file, or in another cell.

        Return None if there is none. A lambda has none, because all lambdas have the same name; a function within a
        function has none, because two cells may use one name for two unlike functions.
        """
        place = history.definition
        if place is None or "<lambda>" in history.name or "<locals>" in place.function:
            return None
        names = self._names_of.get(place.file)
        functions = [
            function
            for function in self._functions.values()
            if function is not history
            and function.name == history.name
            and (earlier := function.definition) is not None
            and earlier.function == place.function
            and (earlier.file == place.file or names is not None and self._names_of.get(earlier.file) is names)
        ]
        return max(functions, key=lambda function: function.last_number, default=None)

    def _redefined(self, earlier: FunctionHistory, history: FunctionHistory) -> EarlierDefinition | None:
        """Return the definition of `earlier`; None unless the definition of `history` certainly replaced it.

        The definition of `history` replaced it only if the earlier function object still existed when the cell of the
        later definition began to run.
        """
        before, place = earlier.definition, history.definition
        assert before is not None and place is not None
        executed = self._executed.get(self._cell_of.get(place.file, ""), -1)
        if not earlier.alive and earlier.died < executed:
            return None
        # Either the cell of the later definition began after a call of the earlier function, or both definitions are at
        # the top level of one file, where they run in the order of their lines.
        if executed > earlier.last_seen or (before.file == place.file and before.line < place.line):
            # Two cells with equal texts have one file name, so the cell is the one that was noted at the call.
            cells = [event.definition_cell for event in earlier.events if event.definition_cell is not None]
            cell = cells[-1] if cells else self._count_of.get(before.file)
            return EarlierDefinition(before, cell, weakref.ref(earlier))
        return None

    def _is_reloaded(self, history: FunctionHistory, inner: Any) -> bool:
        """Return whether the file of a function was executed again, such as by `importlib.reload`.

        The def must be at the top level of the file, so that each execution of the file makes one function object.

        Args:
            history: The history of the function.
            inner: The user's function inside the new function object.
        """
        place = history.definition
        if type(inner) is not FunctionType or place is None or "<locals>" in place.function or self._is_cell(place):
            return False
        # the code comes from `exec` with the name of an existing file, so the file itself did not run again
        if inner.__globals__.get("__file__") != place.file:
            return False
        before = [history]
        # An edit may have moved the function to another line, so the histories of the same function on other lines are
        # searched.
        if history.newest is None:
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
