"""Prints a document's ledger for the exports: a sentence, a row for each function, a line for each miss in the run."""

from __future__ import annotations

from dataclasses import dataclass

from ..document.sentences.cache_tab_sentences import MORE_MISSES, OUTCOMES, in_run, lead
from ..document.types.document import Snapshot
from ..document.types.ledger import LedgerCounts, LedgerFunction, LedgerMiss
from ..quantities import UNKNOWN, count, duration
from .short_texts_of_run import LEVELS, of_line

HEAD = ("function", "calls", "hits", "entries", "compiles", "price")
_MISSES = 12


@dataclass(frozen=True)
class CacheText:
    """The ledger of one run as text."""

    sentence: str
    rows: list[tuple[str, ...]]  # `rows`: a row of cells for each function, with the column headings in HEAD.
    # `misses`: the texts of the first misses and slow hits of this run, function by function, without inlined calls.
    misses: list[str]
    left_out: str | None
    note: str | None


def cache_text(document: Snapshot) -> CacheText | None:
    """Return the functions and misses of the run as text; None if the ledger is missing or empty."""
    ledger = document.ledger
    if ledger is None:
        return None
    functions = [function for function in ledger.functions if in_run(function)]
    if not functions:
        return None
    lines = [
        _miss(document, function, miss)
        for function in functions
        for miss in function.misses
        if miss.this_run and miss.outcome != "inlined"
    ]
    left_out_count = len(lines) - _MISSES
    return CacheText(
        sentence=ledger.lead or lead(ledger),
        rows=[_row(function) for function in functions],
        misses=lines[:_MISSES],
        left_out=f"The list leaves out {count(left_out_count, *MORE_MISSES)} of this run."
        if left_out_count > 0
        else None,
        note=ledger.calls_note,
    )


def _row(function: LedgerFunction) -> tuple[str, ...]:
    run = function.run
    price = duration(run.seconds) if run.seconds else ""
    return (
        function.name,
        _number(run.calls, run),
        _number(run.hits, run),
        UNKNOWN if any(entry.held is None for entry in function.entries) else f"{len(function.entries):,}",
        f"{run.compiles:,}",
        price,
    )


def _number(number: int | None, run: LedgerCounts) -> str:
    if number is None or (number == 0 and not run.calls_exact):
        return UNKNOWN
    return f"{'' if run.calls_exact else '≥'}{number:,}"


def _miss(document: Snapshot, function: LedgerFunction, miss: LedgerMiss) -> str:
    """Return the text of a miss: function, line, outcome and price, then a sentence for each reason and each cure."""
    line = of_line(document, miss.frame) if 0 <= miss.frame < len(document.frames) else None
    stages = [seconds for seconds in (miss.trace, miss.lower, miss.compile) if seconds is not None]
    price = duration(sum(stages)) if stages else None
    outcome = miss.outcome_text or OUTCOMES[miss.outcome]
    labels = " · ".join(filter(None, (function.name, line, outcome, price)))
    reasons = [f"Reason: {reason.text}" for reason in miss.reasons]
    advice = [reason.cure for reason in miss.reasons if reason.cure]
    edits = [f"{cure.name[0].upper()}{cure.name[1:]}{LEVELS[cure.level]}: {cure.text}" for cure in miss.cures]
    return " ".join([f"{labels}.", *reasons, *dict.fromkeys([*advice, *edits])])
