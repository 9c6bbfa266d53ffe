"""Makes the user's ledger from the memory of misses: functions, entries, hits, misses, reasons.

- `Ledger`: of one block of code, by function name; `print(ledger)` is a table.
- `FunctionRecord`, `CacheEntry`, `Miss`: what it holds.
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
from .function_history import Counts, FunctionHistory, MissEvent
from .held_entries import held_entries
from .history import History
from .key_texts import signature_text
from .keys import Key
from .miss_reasons import entries_of, reasons_of
from .miss_reasons import entry_of as find_entry
from .reason import Reason

if TYPE_CHECKING:
    from .ledger_table import Lines


@dataclass(frozen=True)
class Miss:
    """One call that missed JAX's C++ cache, or was inlined into the trace of another function.

    Attributes:
        outcome: ``dispatch_only``, ``lowered``, ``compiled``, ``compiled_from_disk``, ``inlined`` or ``raised``.
        reasons: why it missed, against the closest earlier key; empty for ``inlined`` and ``raised``.
        line: the line of the user's code that made the call, None when unknown.
        file: the file of that line.
        signature: argument types and static values, such as ``x: f32[10], n=3``.
        trace_s: seconds JAX traced, None where it did not.
        lower_s: seconds JAX lowered, None where it did not.
        compile_s: seconds XLA compiled, or the executable was read from disk, None where neither was.
        total_s: seconds of the whole call until it returned.
        entry: index into the entries of its function, -1 where it has none.
        number: which call that missed or was inlined it was, in the order of this kernel.
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
        """What it cost: trace, lower and compile together."""
        return (self.trace_s or 0.0) + (self.lower_s or 0.0) + (self.compile_s or 0.0)


@dataclass(frozen=True)
class CacheEntry:
    """A key for which JAX holds what it needs to run.

    Attributes:
        signature: argument types and static values.
        hits: calls of the block that used it and compiled nothing, slow hits included; None where they cannot be told
            apart.
        misses: calls with this key that traced, lowered or compiled.
        fast_path: whether later calls with this key hit JAX's C++ fast path.
        made_here: whether it was made in this block; False for one that an earlier call made.
        held: whether JAX holds it still; None where that is unknown. An entry that is surely gone is not listed.
        number: which entry of the function's it is, in the order they were made in this kernel.
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
    """What one function did in a block.

    Attributes:
        name: its ``__name__``.
        line: of its def; None when unknown.
        file: of its def.
        calls: calls seen; None where they cannot be counted (Python 3.11 outside a ``%%jaxpr`` cell). One under
            ``jax.disable_jit()`` runs the function's Python, has to do with no cache and is not among them.
        calls_exact: False where `calls` and `hits` are lower bounds.
        compiles: compilations by XLA, by JAX's events; retrievals from disk are not among them.
        traces, lowerings, from_disk: by JAX's events.
        inlined: calls while another function was traced.
        raised: calls that raised while tracing or compiling.
        entries: the cache entries that JAX still holds; those that earlier calls made are included if a call of this
            block used them, or may have used them.
        misses: in the order they happened; the newest 512 of the kernel. What JAX made ahead of time, for
            ``.lower().compile()``, is no call and not among them; it is in `traces`, `lowerings` and `compiles`.
        function_objects: how many different function objects of this line missed in this block.
        hits: calls that compiled and lowered nothing, fast hits and dispatch-only ones; None where `calls` is.
        seconds: what its misses cost: trace, lower and compile together.
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
    """How often a function was called in a block."""

    name: str
    definition: Place | None
    calls: int | None
    exact: bool
    raised: int = 0  # of `calls`, as far as seen
    ahead: bool = False  # not called: there is something to tell only where JAX worked for it in the block


class Ledger(Mapping[str, FunctionRecord]):
    """What jitted functions did in a block of code.

    `ledger["train_step"]` is a function's record; where functions of one name stand on several lines,
    `ledger["train_step", 12]` is the one of line 12, and `ledger["train_step", 12, file]` that of one file or cell.
    While its block runs a ledger is live.
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
        """What cannot be told with this JAX or Python, a sentence; None where everything can."""
        self.file: str | None = None
        """The file or cell that the block stands in: lines of others are written with theirs."""
        self.entry_hits: EntryHits | None = None
        """Where the hits of each entry are counted."""
        self._records: tuple[FunctionRecord, ...] | None = None
        self._elsewhere: tuple[str, ...] | None = None

    def close(self) -> None:
        """The block is over: what it says no longer changes."""
        if self._records is None:
            self._records = self._read()
            self._elsewhere = self.elsewhere
            self._calls = list  # it holds the run, and with it the functions that were called
            self._reading = NOTHING_CALLED  # likewise what was asked for its text
            self._before = {}  # of every function that the kernel knew
            self.entry_hits = None

    @property
    def is_closed(self) -> bool:
        """Whether the block is over."""
        return self._records is not None

    @property
    def functions(self) -> tuple[FunctionRecord, ...]:
        """The functions of the user's that were called, in the order of their first miss or call."""
        return self._read() if self._records is None else self._records

    @property
    def lines(self) -> Lines:
        """Writes the lines of its functions and misses."""
        from .ledger_table import Lines

        return Lines(self.functions, self.file, self._history.cell_numbers)

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The functions that missed meanwhile in other threads, whose calls are not counted here."""
        if self._elsewhere is not None:
            return self._elsewhere
        if self._thread is None:
            return ()
        found = []
        for (name, *_), function in self._chosen():
            new = takewhile(lambda event: event.number > self._since, reversed(function.events))
            if any(event.thread != self._thread for event in new):
                found.append(name)
        return tuple(dict.fromkeys(found))

    def __getitem__(self, name: str | tuple[str, int] | tuple[str, int, str]) -> FunctionRecord:
        found = self._named(name)
        if len(found) == 1:
            return found[0]
        if found:
            one_line = len({each.line for each in found}) < len(found)
            of = [(each.name, each.line, each.file) if one_line else (each.name, each.line) for each in found]
            candidates = ", ".join(f"ledger[{', '.join(map(repr, each))}]" for each in of)
            raise KeyError(f"{len(found)} functions have the name {found[0].name!r}. Use one of {candidates}")
        raise KeyError(name)

    def _named(self, name: object) -> list[FunctionRecord]:
        """The functions of a name, or of a name and the line of their def, or of those and their file."""
        wanted = name if isinstance(name, tuple) else (name,)
        return [each for each in self.functions if (each.name, each.line, each.file)[: len(wanted)] == wanted]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(each.name for each in self.functions))

    def __len__(self) -> int:
        return len({each.name for each in self.functions})

    def __contains__(self, name: object) -> bool:
        return bool(self._named(name))

    def __str__(self) -> str:
        from .ledger_table import table

        return table(self.functions, self.note, self.elsewhere, self.file, self._history.cell_numbers)

    def __repr__(self) -> str:
        compiles = sum(each.compiles for each in self.functions)
        return f"<Ledger of {count(len(self.functions), 'function')}, {count(compiles, 'compile')}>"

    def _read(self) -> tuple[FunctionRecord, ...]:
        calls = {self._history.place_key(each.name, each.definition): each for each in self._calls()}
        order: dict[tuple[str, str, int], int] = {}
        for key, function in self._chosen():
            first = None
            if function.events and function.events[-1].number > self._since:
                first = next((event.number for event in function.events if self._is_here(event)), None)
            if first is not None:
                order[key] = first
            elif self._counts(function).seconds:  # JAX worked for it without a call, such as for .lower().compile()
                order[key] = self._history.number + 1 + len(order)
        for key in [key for key, each in calls.items() if not each.ahead]:
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
        """What one function did; where that cannot be described, why it cannot is in the place of its entries."""
        try:
            return self._described(key, called)
        except not_of_a_signal(*FAILURES) as error:
            known = self._history.functions.get(key)
            definition = known.definition if known is not None else None
            counts = self._counts(known) if known is not None else Counts()
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
        if self._is_whole and history.whole is not None and history.whole_at == self._history.clears():
            return history.whole
        here = [event for event in history.events if self._is_here(event)]
        counts = self._counts(history)
        calls = called.calls if called is not None else None
        definition = history.definition
        exact = called is not None and called.exact
        if calls is not None and calls < len(here):
            calls, exact = len(here), False  # some were made from C, such as by map()
        raised = max(counts.raised, called.raised if called is not None else 0)
        looked = None if calls is None else calls - (raised - counts.raised)  # JAX looked for an entry
        clears = self._history.clears()
        makers = entries_of(history, self._reading)
        held = held_entries(history, clears, self._history.number)
        fast_hits = self._fast_hits(history)
        entries, entry_of = _entries(history, here, counts, looked, self._reading, makers, held, fast_hits)
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
            misses=tuple(_miss(event, history, entry_of.get(event.number, -1), self._reading) for event in here),
            function_objects=len({event.function_object for event in here}),
            hits=None if looked is None else max(looked - counts.misses + counts.dispatch_only - counts.inlined, 0),
            seconds=counts.seconds,
        )
        if self._is_whole:
            history.whole, history.whole_at = record, clears
        return record

    def _fast_hits(self, history: FunctionHistory) -> dict[int, int] | None:
        """The hits of each entry on the fast path, by index; None where they are not counted, or not all."""
        counted = None if self.entry_hits is None else self.entry_hits.hits_of(history)
        if counted is None:
            return None
        found: dict[int, int] = {}
        for each in counted:
            entry = find_entry(each.function_object, each.key, history, self._reading)
            if entry is None:  # made before anything was observed
                return None
            found[entry] = found.get(entry, 0) + each.times
        return found

    def _counts(self, history: FunctionHistory) -> Counts:
        """What was counted in this block."""
        return history.counts_on(self._thread).minus(self._before.get(id(history), Counts()))

    @property
    def _is_whole(self) -> bool:
        """Whether it is of everything seen, so that a function's record is the same until something is added."""
        return self._thread is None and self._since == 0


def _miss(event: MissEvent, history: FunctionHistory, entry: int, reading: Reading) -> Miss:
    assert event.outcome is not None
    if event.signature is None:
        event.signature = _signature(event.key, reading) if event.key is not None else ""
    return Miss(
        outcome=event.outcome,
        reasons=reasons_of(event, history, reading),
        line=event.place.line if event.place else None,
        file=event.place.file if event.place else None,
        signature=event.signature,
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
    except not_of_a_signal(*FAILURES) as error:  # the other misses and entries have theirs
        return could_not(error)


def _entries(
    history: FunctionHistory,
    here: list[MissEvent],
    counts: Counts,
    calls: int | None,
    reading: Reading,
    makers: Sequence[MissEvent],
    held: Sequence[bool | None],
    fast_hits: Mapping[int, int] | None,
) -> tuple[tuple[CacheEntry, ...], dict[int, int]]:
    """The entries that a block used, as far as known, and that JAX holds; and the entry of each event by its number.

    A hit does not tell which entry it used: it may have been any.
    """
    met = {event.entry for event in here if event.entry >= 0}.union(fast_hits or ())
    if fast_hits is None and (calls or 0) > counts.misses + counts.inlined:
        met.update(range(len(makers)))
    used = sorted(entry for entry in met if held[entry] is not False)
    places = {entry: index for index, entry in enumerate(used)}
    since = here[0].number if here else math.inf
    users: dict[int, list[MissEvent]] = {entry: [] for entry in used}
    for event in here:
        if event.entry in users:
            users[event.entry].append(event)
    entries = []
    for entry, mine in users.items():
        maker = makers[entry]
        # With one entry in all, whatever did not miss has used it.
        alone = len(makers) == 1 and calls is not None
        slow_hits = sum(event.outcome == "dispatch_only" for event in mine)
        hits = max((calls or 0) - counts.misses + counts.dispatch_only - counts.inlined, 0) if alone else None
        if fast_hits is not None:
            hits = fast_hits.get(entry, 0) + slow_hits
        assert maker.key is not None
        entries.append(
            CacheEntry(
                signature=_signature(maker.key, reading),
                hits=hits,
                misses=len(mine) - slow_hits,
                fast_path=mine[-1].fast_path if mine else maker.fast_path,
                made_here=maker.number >= since,
                held=held[entry],
                number=entry,
            )
        )
    return tuple(entries), {event.number: places[event.entry] for event in here if event.entry in places}
