"""A document's ledger in, its words out: a sentence, a row for each function, a line for each miss of the run."""

from __future__ import annotations

from dataclasses import dataclass

from ..document.types.document import Snapshot
from ..document.types.ledger import Ledger, LedgerCounts, LedgerFunction, LedgerMiss
from ..quantities import NO_BREAK, UNKNOWN, count, duration

HEAD = ("function", "calls", "hits", "entries", "compiles", "price")
_MISSES = 12


@dataclass(frozen=True)
class CacheText:
    """The ledger of one run in words."""

    sentence: str
    rows: list[tuple[str, ...]]  # as HEAD
    misses: list[str]  # of this run, in order
    left_out: str | None
    note: str | None


def cache_text(document: Snapshot) -> CacheText | None:
    """The functions of this run and their misses; None where there is no ledger, or no function in it."""
    ledger = document.ledger
    if ledger is None:
        return None
    functions = [function for function in ledger.functions if _of_this_run(function)]
    if not functions:
        return None
    lines = [
        _miss(document, function, miss)
        for function in functions
        for miss in function.misses
        if miss.this_run and miss.outcome != "inlined"
    ]
    more = len(lines) - _MISSES
    return CacheText(
        sentence=_sentence(ledger),
        rows=[_row(function) for function in functions],
        misses=lines[:_MISSES],
        left_out=f"and {count(more, 'more miss', 'more misses')}" if more > 0 else None,
        note=ledger.calls_note,
    )


def _of_this_run(function: LedgerFunction) -> bool:
    run = function.run
    return bool(run.calls or run.misses or run.inlined)


def _sentence(ledger: Ledger) -> str:
    if not ledger.compiles:
        return "Nothing was compiled in this run."
    took = f"{count(ledger.compiles, 'compile')} took {duration(ledger.seconds)}"
    return f"{took}." if ledger.cell_seconds is None else f"{took} of this cell's {duration(ledger.cell_seconds)}."


def _row(function: LedgerFunction) -> tuple[str, ...]:
    run = function.run
    price = duration(run.seconds) if run.seconds else ""
    return (
        function.name,
        _number(run.calls, run),
        _number(run.hits, run),
        f"{len(function.entries):,}",
        f"{run.compiles:,}",
        price,
    )


def _number(number: int | None, run: LedgerCounts) -> str:
    if number is None:
        return UNKNOWN
    return f"{'' if run.calls_exact else '≥'}{number:,}"


def _miss(document: Snapshot, function: LedgerFunction, miss: LedgerMiss) -> str:
    line = f", line{NO_BREAK}{document.frames[miss.frame].line}" if 0 <= miss.frame < len(document.frames) else ""
    stages = [seconds for seconds in (miss.trace, miss.lower, miss.compile) if seconds is not None]
    price = f", {duration(sum(stages))}" if stages else ""
    why = "; ".join(reason.text for reason in miss.reasons)
    cures = " ".join(dict.fromkeys(f"{reason.cure}" for reason in miss.reasons if reason.cure))
    outcome = miss.outcome.replace("_", " ")
    return f"{function.name}{line}: {outcome}{price}" + (f": {why}." if why else ".") + (f" {cures}" if cures else "")
