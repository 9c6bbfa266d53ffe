"""Builds the document's ledger of the jit cache from the observer's ledger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import msgspec

from ..document.limits import Listed
from ..document.sentences.cache_tab_sentences import OUTCOMES, lead
from ..document.types.ledger import (
    Ledger,
    LedgerCounts,
    LedgerEntry,
    LedgerFunction,
    LedgerMiss,
    LedgerReason,
)
from ..interruptions import not_of_a_signal
from ..observe.cache.ledger_rows import FunctionRecord, Miss
from ..observe.observation import EagerCompile, LedgerReading, Place
from ..program.jaxpr.walk import Walk
from .calls_of_cell_lines import counts_of_lines
from .notes import places_and_cures_of_notes

#: (index of a function in the ledger, index of a miss in this function) -> number of the miss among all misses of the
#: kernel.
MissNumbers = dict[tuple[int, int], int]


def ledger_document(
    walk: Walk,
    reading: LedgerReading,
    cell_files: Collection[str],
    failed: Callable[[str, Exception], None],
    small: Sequence[EagerCompile] = (),
) -> tuple[Ledger, MissNumbers]:
    """Build the document's ledger; return it with the number of each miss among all misses of the kernel.

    Args:
        walk: The `Walk` of the run's programs; the frames of definitions and calls are added to its pools.
        reading: The observer's ledger of the run.
        cell_files: The file names under which the code of the cell was compiled; empty outside a cell.
        failed: Called with the name of each function that could not be described, and the error.
        small: The programs that JAX compiled for operations outside jitted functions.
    """
    run_records = {_key(record): record for record in reading.run}
    kernel_records = {_key(record): record for record in reading.kernel}
    pairs: list[tuple[FunctionRecord | None, FunctionRecord]] = [
        (record, kernel_records.get(key, record)) for key, record in run_records.items()
    ]
    pairs += [(None, record) for key, record in kernel_records.items() if key not in run_records]
    functions: list[LedgerFunction] = []
    numbers: MissNumbers = {}
    for run, kernel in pairs:
        try:
            functions.append(_function(walk, run, kernel))
        except not_of_a_signal(Exception) as error:
            failed(f"The cache entry of {kernel.name}", error)
            continue
        for place, miss in enumerate(kernel.misses[-Listed.MISSES_OF_FUNCTION :]):
            numbers[len(functions) - 1, place] = miss.number
    ledger = Ledger(
        functions=functions,
        lines=counts_of_lines(reading.lines, cell_files),
        seconds=sum(record.seconds for record in reading.run),
        compiles=sum(record.compiles for record in reading.run),
        cell_seconds=reading.seconds if cell_files else None,
        library_functions=list(reading.library_functions),
        library_misses=reading.library_misses,
        calls_note=reading.note,
        small_programs=len(small),
        small_seconds=sum(program.seconds for program in small),
    )
    return msgspec.structs.replace(ledger, lead=lead(ledger, reading.elsewhere, reading.unlisted)), numbers


def _key(record: FunctionRecord) -> tuple[str, str | None, int | None]:
    return record.name, record.file, record.line


def _function(walk: Walk, run: FunctionRecord | None, kernel: FunctionRecord) -> LedgerFunction:
    # The misses of a run need not have consecutive numbers: misses of other threads may be numbered in between.
    numbers = set() if run is None else {miss.number for miss in run.misses}
    new = {id(miss) for miss in kernel.misses if miss.number in numbers}
    listed = kernel.misses[-Listed.MISSES_OF_FUNCTION :]
    entries_made = {miss.entry for miss in kernel.misses if id(miss) in new}
    old = {miss.entry for miss in kernel.misses if id(miss) not in new}
    hits = {entry.number: entry.hits for entry in run.entries} if run is not None else {}
    definition = None
    if kernel.line is not None and kernel.file is not None:
        definition = Place(kernel.file, kernel.line, kernel.name)
    return LedgerFunction(
        name=kernel.name,
        definition=places_and_cures_of_notes.frame_of(walk, definition),
        function_objects=kernel.function_objects,
        run=_counts(run, kernel),
        kernel=_counts(kernel, kernel, calls=False),
        entries=[
            LedgerEntry(
                signature=entry.signature,
                hits=hits.get(entry.number),
                misses=entry.misses,
                this_run=index in entries_made and index not in old,
                fast_path=entry.fast_path,
                held=entry.held,
            )
            for index, entry in enumerate(kernel.entries)
        ],
        misses=[_miss(walk, miss, id(miss) in new) for miss in listed],
        misses_left_out=len(kernel.misses) - len(listed),
    )


def _counts(record: FunctionRecord | None, kernel: FunctionRecord, calls: bool = True) -> LedgerCounts:
    if record is None:
        none: dict[str, Any] = dict.fromkeys(("misses", "traces", "lowerings", "compiles", "from_disk"), 0)
        return LedgerCounts(calls=None, calls_exact=True, hits=None, inlined=0, raised=0, seconds=0.0, **none)
    return LedgerCounts(
        calls=record.calls if calls else None,
        calls_exact=record.calls_exact,
        hits=record.hits if calls else None,
        misses=sum(miss.outcome != "inlined" for miss in record.misses),
        traces=record.traces,
        lowerings=record.lowerings,
        compiles=record.compiles,
        from_disk=record.from_disk,
        inlined=record.inlined,
        raised=record.raised,
        seconds=record.seconds,
    )


def _miss(walk: Walk, miss: Miss, this_run: bool) -> LedgerMiss:
    assert miss.outcome != "fast_hit"
    place = Place(miss.file, miss.line) if miss.file is not None and miss.line is not None else None
    return LedgerMiss(
        outcome=miss.outcome,
        reasons=[
            LedgerReason(
                kind=reason.kind,
                text=reason.text,
                argument=reason.argument,
                before=reason.before,
                after=reason.after,
                cure=reason.cure,
            )
            for reason in miss.reasons
        ],
        signature=miss.signature,
        frame=places_and_cures_of_notes.frame_of(walk, place),
        this_run=this_run,
        entry=miss.entry,
        trace=miss.trace_s,
        lower=miss.lower_s,
        compile=miss.compile_s,
        total=miss.total_s,
        outcome_text=OUTCOMES[miss.outcome],
    )
