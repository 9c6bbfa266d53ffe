"""Makes the ledger that scripts read: `seen['f']` finds a function by its name, `print(seen)` is a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import TYPE_CHECKING

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, could_not
from ...quantities import count
from ..calls.entry_hits import EntryHits
from ..reprs_of_users_values import NOTHING_CALLED, Reading
from .held_entries import held_entries
from .history_of_all_functions import History
from .history_of_one_function import Counts, FunctionHistory, MissEvent
from .miss_reasons import entries_of
from .miss_reasons import entry_of as find_entry

if TYPE_CHECKING:
    from .printed_ledger import Lines
from .ledger_rows import CacheEntry, Calls, FunctionRecord, entry_rows, miss_row


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
        entries, entry_of = entry_rows(
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
            misses=tuple(miss_row(event, history, entry_of.get(event.number, -1), self._reading) for event in events),
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
