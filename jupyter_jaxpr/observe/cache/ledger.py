"""Makes the user's ledger from the recorded misses: functions, cache entries, hits, misses, reasons.

- `Ledger`: the ledger of one block of code, by function name; `print(ledger)` is a table.
- `FunctionRecord`, `CacheEntry`, `Miss`: the rows of a ledger.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, could_not
from ...quantities import count
from ..calls.entry_hits import EntryHits
from ..observation import Outcome, Place
from ..value_texts import NOTHING_CALLED, Reading
from .function_named_in_reason import function_label
from .held_entries import held_entries
from .history_of_all_functions import History
from .history_of_one_function import Counts, FunctionHistory, MissEvent
from .key_texts import signature_text
from .miss_reasons import entries_of, reasons_of
from .miss_reasons import entry_of as find_entry
from .reason import Reason
from .types_and_layouts_of_key import Key

if TYPE_CHECKING:
    from .printed_ledger import Lines


@dataclass(frozen=True)
class Miss:
    """One call that missed JAX's C++ cache, or that JAX inlined into the trace of another function.

    Attributes:
        outcome: ``dispatch_only``, ``lowered``, ``compiled``, ``compiled_from_disk``, ``inlined`` or ``raised``.
        reasons: the reasons of the miss, compared with the closest earlier key; empty for ``inlined`` and ``raised``.
        line: the line of the user's code with the call, None when unknown.
        file: the file of that line.
        signature: the argument types and static values, such as ``x: f32[10], n=3``; ``jax.grad(loss)(w: f32[10])``
            if the record also has calls of the function without the transform.
        trace_s: the seconds of JAX's trace, None where JAX did not trace.
        lower_s: the seconds of JAX's lowering, None where JAX did not lower.
        compile_s: the seconds of XLA's compile, or of reading the executable from disk; None where neither happened.
        total_s: the seconds of the whole call until it returned.
        entry: the index into the entries of the function, -1 without an entry.
        number: the number of this call among the missed and inlined calls of the kernel.
    """

    outcome: Outcome
    reasons: tuple[Reason, ...]
    line: int | None
    file: str | None
    signature: str
    trace_s: float | None
    lower_s: float | None
    compile_s: float | None
    total_s: float | None
    entry: int = -1
    number: int = 0

    @property
    def seconds(self) -> float:
        """The seconds of the miss: trace, lower and compile together."""
        return (self.trace_s or 0.0) + (self.lower_s or 0.0) + (self.compile_s or 0.0)


@dataclass(frozen=True)
class CacheEntry:
    """A key for which JAX holds a compiled program.

    Attributes:
        signature: the argument types and static values, as of a miss.
        hits: the calls in the block that used the entry and compiled nothing, slow hits included; None where the hits
            of several entries cannot be separated.
        misses: the calls with this key that traced, lowered or compiled.
        fast_path: True if later calls with this key hit JAX's C++ fast path.
        made_here: True if a call in this block made the entry; False if the entry existed before.
        held: True if JAX still holds the entry; None where this is unknown. Entries that JAX certainly dropped are left
            out.
        number: the index of the entry among all entries of the function in this kernel.
    """

    signature: str
    hits: int | None
    misses: int
    fast_path: bool
    made_here: bool
    held: bool | None = True
    number: int = -1


@dataclass(frozen=True)
class FunctionRecord:
    """The calls, entries and misses of one function in a block.

    Attributes:
        name: the function's ``__name__``.
        line: the line of the function's def; None when unknown.
        file: the file of the function's def.
        calls: the calls seen; None where calls cannot be counted (Python 3.11 outside a ``%%jaxpr`` cell). A call
            under ``jax.disable_jit()`` runs plain Python, uses no cache and does not count.
        calls_exact: False where `calls` and `hits` are lower bounds.
        compiles: the number of XLA's compiles, by JAX's events; executables read from disk do not count.
        traces, lowerings, from_disk: the numbers of JAX's events.
        inlined: the number of calls while JAX traced another function.
        raised: the number of calls that raised while JAX traced or compiled.
        entries: the cache entries that JAX still holds; entries of earlier calls are included if a call of this
            block used them, or may have used them.
        misses: the misses in order; the newest 512 of the kernel. A trace or compile ahead of time, such as by
            ``.lower().compile()``, is no call and no miss; `traces`, `lowerings` and `compiles` count it.
        function_objects: the number of function objects of this line that missed in this block.
        hits: the calls that compiled and lowered nothing: fast hits and dispatch-only calls; None where `calls` is.
        seconds: the seconds of all misses: trace, lower and compile together.
    """

    name: str
    line: int | None
    file: str | None
    calls: int | None
    calls_exact: bool
    compiles: int
    traces: int
    lowerings: int
    from_disk: int
    inlined: int
    raised: int
    entries: tuple[CacheEntry, ...]
    misses: tuple[Miss, ...]
    function_objects: int
    hits: int | None
    seconds: float


@dataclass(frozen=True)
class Calls:
    """The number of calls of one function in a block, as far as the calls could be counted.

    Attributes:
        raised: how many of the `calls` raised; calls that the counter did not see are missing.
        ahead: true for a function that was traced without a call; it is shown only if JAX compiled it in the block.
    """

    name: str
    definition: Place | None
    calls: int | None
    exact: bool
    raised: int = 0
    ahead: bool = False


class Ledger(Mapping[str, FunctionRecord]):
    """The jitted functions in a block of code, with their calls, entries and misses.

    `ledger["train_step"]` is the record of a function. If several functions have the same name, `ledger["train_step",
    12]` is the one defined on line 12, and `ledger["train_step", 12, file]` the one in a certain file or cell. While
    the block runs, the ledger shows the calls until now.
    """

    def __init__(
        self,
        history: History,
        thread: int | None,
        since: int,
        before: Mapping[int, Counts],
        calls: Callable[[], list[Calls]],
        reading: Reading,
        newest: int | None = None,
    ) -> None:
        self._history = history
        self._newest = newest
        self._thread = thread
        self._since = since
        self._before = before
        self._calls = calls
        self._reading = reading
        self.note: str | None = None
        """A sentence on facts that this JAX or Python does not report; None where nothing is missing."""
        self.unlisted: str | None = None
        """A sentence on calls of functions that JAX compiled before the observation; None without such calls."""
        self.file: str | None = None
        """The file or cell of the block: lines of other files are written with their file."""
        self.entry_hits: EntryHits | None = None
        """The counter of the hits of each entry; None where they are not counted."""
        self._records: tuple[FunctionRecord, ...] | None = None
        self._elsewhere: tuple[str, ...] | None = None

    def close(self) -> None:
        """End the ledger. The contents of the ledger do not change after the end of the block."""
        if self._records is None:
            self._records = self._read()
            self._elsewhere = self.elsewhere
            self._calls = list  # Drops the reference to the run, which keeps the called functions alive.
            self._reading = NOTHING_CALLED  # Drops the references to the user's objects that were printed.
            self._before = {}  # Drops the counts that all functions of the kernel had before the block.
            self.entry_hits = None

    @property
    def is_closed(self) -> bool:
        """True if the block of the ledger has ended."""
        return self._records is not None

    @property
    def functions(self) -> tuple[FunctionRecord, ...]:
        """The user functions that were called in the block, in the order of their first miss or call."""
        return self._read() if self._records is None else self._records

    @property
    def lines(self) -> Lines:
        """The object that writes line numbers of functions and misses, with a file name where needed."""
        from .printed_ledger import Lines

        return Lines(self.functions, self.file, self._history.cell_numbers)

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The names of the functions that missed in other threads during the block.

        The counts of the ledger do not include the calls in other threads.
        """
        if self._elsewhere is not None:
            return self._elsewhere
        if self._thread is None:
            return ()
        names = []
        for (name, *_), function in self._chosen():
            new = takewhile(lambda event: event.number > self._since, reversed(function.events))
            if any(event.thread != self._thread for event in new):
                names.append(name)
        return tuple(dict.fromkeys(names))

    def __getitem__(self, name: str | tuple[str, int] | tuple[str, int, str]) -> FunctionRecord:
        records = self._named(name)
        if len(records) == 1:
            return records[0]
        if records:
            one_line = len({record.line for record in records}) < len(records)
            indices = [
                (record.name, record.line, record.file) if one_line else (record.name, record.line)
                for record in records
            ]
            candidates = ", ".join(f"ledger[{', '.join(map(repr, index))}]" for index in indices)
            raise KeyError(f"{len(records)} functions have the name {records[0].name!r}. Use one of {candidates}")
        raise KeyError(name)

    def _named(self, name: object) -> list[FunctionRecord]:
        """Return the records that `ledger[...]` finds by a name, by (name, def line) or by (name, def line, file)."""
        index = name if isinstance(name, tuple) else (name,)
        return [record for record in self.functions if (record.name, record.line, record.file)[: len(index)] == index]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(record.name for record in self.functions))

    def __len__(self) -> int:
        return len({record.name for record in self.functions})

    def __contains__(self, name: object) -> bool:
        return bool(self._named(name))

    def __str__(self) -> str:
        from .printed_ledger import table

        cells = self._history.cell_numbers
        return table(self.functions, self.note, self.elsewhere, self.unlisted, self.file, cells)

    def __repr__(self) -> str:
        compiles = sum(record.compiles for record in self.functions)
        return f"<Ledger of {count(len(self.functions), 'function')}, {count(compiles, 'compile')}>"

    def _read(self) -> tuple[FunctionRecord, ...]:
        calls = {
            self._history.place_key(function_calls.name, function_calls.definition): function_calls
            for function_calls in self._calls()
        }
        order: dict[tuple[str, str, int], int] = {}
        for key, function in self._chosen():
            first = None
            if function.events and function.events[-1].number > self._since:
                first = next((event.number for event in function.events if self._is_here(event)), None)
            if first is not None:
                order[key] = first
            # JAX compiled the function without a call, such as for `f.lower(x).compile()`
            elif self._counts(function).seconds:
                order[key] = self._history.number + 1 + len(order)
        for key in [key for key, function_calls in calls.items() if not function_calls.ahead]:
            order.setdefault(key, self._history.number + 1 + len(order))
        return tuple(self._record(key, calls.get(key)) for key in sorted(order, key=lambda key: order[key]))

    def _chosen(self) -> list[tuple[tuple[str, str, int], FunctionHistory]]:
        functions = list(self._history.functions.items())
        if self._newest is not None and len(functions) > self._newest:
            functions.sort(key=lambda item: -item[1].last_number)
            del functions[self._newest :]
        return functions

    def _is_here(self, event: MissEvent) -> bool:
        return event.number > self._since and self._thread in (None, event.thread) and event.outcome is not None

    def _record(self, key: tuple[str, str, int], called: Calls | None) -> FunctionRecord:
        """Return the record of one function.

        If making the record fails, a record with one entry is returned; the signature of this entry is the error.
        """
        try:
            return self._described(key, called)
        except not_of_a_signal(*FAILURES) as error:
            history = self._history.functions.get(key)
            definition = history.definition if history is not None else None
            counts = self._counts(history) if history is not None else Counts()
            return FunctionRecord(
                name=key[0],
                line=definition.line if definition else None,
                file=definition.file if definition else None,
                calls=called.calls if called is not None else None,
                calls_exact=False,
                compiles=counts.compiles,
                traces=counts.traces,
                lowerings=counts.lowerings,
                from_disk=counts.from_disk,
                inlined=counts.inlined,
                raised=counts.raised,
                entries=(CacheEntry(could_not(error), None, 0, False, False),),
                misses=(),
                function_objects=0,
                hits=None,
                seconds=counts.seconds,
            )

    def _described(self, key: tuple[str, str, int], called: Calls | None) -> FunctionRecord:
        history = self._history.functions.get(key) or FunctionHistory(key[0], called.definition if called else None)
        if self._is_whole and history.full_record is not None and history.full_record_at == self._history.clears():
            return history.full_record
        events = [event for event in history.events if self._is_here(event)]
        counts = self._counts(history)
        calls = called.calls if called is not None else None
        definition = history.definition
        exact = called is not None and called.exact
        if calls is not None and calls < len(events):
            calls, exact = len(events), False  # C code such as map() made some calls, so the count is a lower bound
        raised = max(counts.raised, called.raised if called is not None else 0)
        # `looked` is the number of calls for which JAX looked for a cache entry; some calls raised before JAX looked
        looked = None if calls is None else calls - (raised - counts.raised)
        clears = self._history.clears()
        makers = entries_of(history, self._reading)
        is_held_by_entry = held_entries(history, clears, self._history.number)
        fast_hits = self._fast_hits(history)
        entries, entry_of = _entries(
            history, events, counts, looked, self._reading, makers, is_held_by_entry, fast_hits, exact
        )
        record = FunctionRecord(
            name=key[0],
            line=definition.line if definition else None,
            file=definition.file if definition else None,
            calls=calls,
            calls_exact=exact,
            compiles=counts.compiles,
            traces=counts.traces,
            lowerings=counts.lowerings,
            from_disk=counts.from_disk,
            inlined=counts.inlined,
            raised=raised,
            entries=entries,
            misses=tuple(_miss(event, history, entry_of.get(event.number, -1), self._reading) for event in events),
            function_objects=len({event.function_object for event in events}),
            hits=None if looked is None else max(looked - counts.misses + counts.dispatch_only - counts.inlined, 0),
            seconds=counts.seconds,
        )
        if self._is_whole:
            history.full_record, history.full_record_at = record, clears
        return record

    def _fast_hits(self, history: FunctionHistory) -> dict[int, int] | None:
        """Return {entry index: number of fast hits}; None if the hits of some entry were not counted."""
        counted = None if self.entry_hits is None else self.entry_hits.hits_of(history)
        if counted is None:
            return None
        hits: dict[int, int] = {}
        for key_hits in counted:
            entry = find_entry(key_hits.function_object, key_hits.key, history, self._reading)
            if entry is None:  # an earlier call, which was not observed, made the entry
                return None
            hits[entry] = hits.get(entry, 0) + key_hits.times
        return hits

    def _counts(self, history: FunctionHistory) -> Counts:
        """Return the counts of a function in this block."""
        return history.counts_on(self._thread).minus(self._before.get(id(history), Counts()))

    @property
    def _is_whole(self) -> bool:
        """True if the ledger covers all threads and all calls since the start of the observer.

        The record of a function in such a ledger stays valid until the next event of the function.
        """
        return self._thread is None and self._since == 0


def _miss(event: MissEvent, history: FunctionHistory, entry: int, reading: Reading) -> Miss:
    assert event.outcome is not None
    if event.signature is None:
        event.signature = _signature(event.key, reading) if event.key is not None else ""
    label = None if event.outcome == "inlined" else function_label(event, history)
    return Miss(
        outcome=event.outcome,
        reasons=reasons_of(event, history, reading),
        line=event.place.line if event.place else None,
        file=event.place.file if event.place else None,
        signature=event.signature if label is None else f"{label}({event.signature})",
        trace_s=event.trace,
        lower_s=event.lower,
        compile_s=event.compile,
        total_s=event.total,
        entry=entry,
        number=event.number,
    )


def _signature(key: Key, reading: Reading) -> str:
    try:
        return signature_text(key, reading)
    # an error in one signature must not prevent the reading of the other misses and entries
    except not_of_a_signal(*FAILURES) as error:
        return could_not(error)


def _entries(
    history: FunctionHistory,
    events: list[MissEvent],
    counts: Counts,
    calls: int | None,
    reading: Reading,
    makers: Sequence[MissEvent],
    is_held_by_entry: Sequence[bool | None],
    fast_hits: Mapping[int, int] | None,
    exact: bool,
) -> tuple[tuple[CacheEntry, ...], dict[int, int]]:
    """Return two things: the cache entries that the block used and JAX still has, and {event number: entry index}.

    JAX does not report which entry a hit used. So if a function had hits, each of its entries counts as possibly used.
    """
    met = {event.entry for event in events if event.entry >= 0}.union(fast_hits or ())
    if fast_hits is None and (calls or 0) > counts.misses + counts.inlined:
        met.update(range(len(makers)))
    used = sorted(entry for entry in met if is_held_by_entry[entry] is not False)
    places = {entry: index for index, entry in enumerate(used)}
    since = events[0].number if events else math.inf
    users: dict[int, list[MissEvent]] = {entry: [] for entry in used}
    for event in events:
        if event.entry in users:
            users[event.entry].append(event)
    all_hits = max((calls or 0) - counts.misses + counts.dispatch_only - counts.inlined, 0)
    entries = []
    for entry, mine in users.items():
        maker = makers[entry]
        # If the function has a single entry, and JAX had no entries of it before the observation, each hit used this
        # entry.
        alone = len(makers) == 1 and calls is not None and not maker.held_before
        slow_hits = sum(event.outcome == "dispatch_only" for event in mine)
        hits = all_hits if alone or (all_hits == 0 and exact and calls is not None) else None
        if fast_hits is not None:
            hits = fast_hits.get(entry, 0) + slow_hits
        assert maker.key is not None
        signature, label = _signature(maker.key, reading), function_label(maker, history)
        entries.append(
            CacheEntry(
                signature=signature if label is None else f"{label}({signature})",
                hits=hits,
                misses=len(mine) - slow_hits,
                fast_path=mine[-1].fast_path if mine else maker.fast_path,
                made_here=maker.number >= since,
                held=is_held_by_entry[entry],
                number=entry,
            )
        )
    return tuple(entries), {event.number: places[event.entry] for event in events if event.entry in places}
