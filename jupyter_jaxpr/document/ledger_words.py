"""Words the ledger for the panel and the exports: the outcome of a call, and the cost of the misses."""

from __future__ import annotations

from ..quantities import count, duration
from .types.ledger import Ledger, LedgerFunction

#: What became of a call that missed the fast path, as labels.
OUTCOMES = {
    "compiled": "compiled",
    "compiled_from_disk": "executable loaded from disk",
    "lowered": "lowered again, executable reused",
    "dispatch_only": "slow hit",
    "inlined": "inlined into another trace",
    "raised": "raised an error",
}


def in_run(function: LedgerFunction) -> bool:
    """Whether the run of the document called a function, as far as is known."""
    run = function.run
    return bool(run.calls or run.misses or run.inlined or run.raised)


def lead(ledger: Ledger) -> str:
    """What the misses of the run cost, or that nothing compiled, and what else took the cell's time: sentences."""
    misses = _misses(ledger)
    if not ledger.small_seconds:
        return misses
    small, took = count(ledger.small_programs, "small program"), duration(ledger.small_seconds)
    outside = f"Compiling {small} for operations outside of jitted functions took {took}."
    rest = None if ledger.cell_seconds is None else ledger.cell_seconds - ledger.seconds - ledger.small_seconds
    if rest is None or rest < 0:  # threads compile beside each other
        return f"{misses} {outside}"
    return f"{misses} {outside} The rest of the cell took {duration(rest)}."


def _misses(ledger: Ledger) -> str:
    took = duration(ledger.seconds)
    if ledger.cell_seconds is not None:
        took += f" of the cell's {duration(ledger.cell_seconds)}"
    if ledger.compiles:
        return f"{count(ledger.compiles, 'compile')}: tracing, lowering and compiling took {took}."
    runs = [function.run for function in ledger.functions if in_run(function)]
    if not runs:
        return "This run called no jitted function of yours."
    none = "No jitted function of yours compiled."
    from_disk = sum(run.from_disk for run in runs)
    if from_disk:
        loaded = count(from_disk, "executable")
        return f"{none} Tracing, lowering and loading {loaded} from the persistent cache took {took}."
    if any(run.traces or run.lowerings for run in runs):
        return f"{none} Tracing and lowering took {took}."
    known = [run.hits for run in runs if run.hits is not None]
    exact = len(known) == len(runs) and all(run.calls_exact for run in runs)
    if not exact and not sum(known):
        return f"{none} The number of calls is unknown."
    return f"{none} {count(sum(known), 'call', exact=exact)} reused a compiled program."
