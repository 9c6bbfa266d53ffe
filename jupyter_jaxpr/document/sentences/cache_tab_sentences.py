"""Makes the sentences on the ledger for the panel and the exports: the outcome of a call, the cost of the misses."""

from __future__ import annotations

from ...quantities import count, duration
from ..types.ledger import Ledger, LedgerFunction

#: One miss, and several misses, that a list leaves out.
MORE_MISSES = ("more miss or slow hit", "more misses and slow hits")
#: Outcome of a call that missed the fast path -> label of the outcome in the ledger.
OUTCOMES = {
    "compiled": "compiled",
    "compiled_from_disk": "executable loaded from disk",
    "lowered": "lowered again, executable reused",
    "dispatch_only": "slow hit",
    "inlined": "inlined into another trace",
    "raised": "raised an error",
}


#: Sentences on the cost of misses, in pairs: without and with the duration of the cell.
_COMPILED = (
    "{compiles}: tracing, lowering and compiling took {took}.",
    "{compiles}: tracing, lowering and compiling took {took} of the cell's {cell}.",
)
_LOADED = (
    "Tracing, lowering and loading {loaded} from the persistent cache took {took}.",
    "Tracing, lowering and loading {loaded} from the persistent cache took {took} of the cell's {cell}.",
)
_TRACED = ("Tracing and lowering took {took}.", "Tracing and lowering took {took} of the cell's {cell}.")


def in_run(function: LedgerFunction) -> bool:
    """Return whether the run called a function, or made JAX trace, lower or compile it without a call."""
    run = function.run
    work = (run.traces, run.lowerings, run.compiles, run.from_disk)
    return any((run.calls, run.misses, run.inlined, run.raised, *work))


def lead(ledger: Ledger, elsewhere: str | None = None, unlisted: str | None = None) -> str:
    """Return sentences on the cost of the run's misses (or that nothing compiled), and on the rest of the run's time.

    Args:
        ledger: The ledger.
        elsewhere: A sentence on the functions that missed the cache in other threads; None without such functions.
        unlisted: A sentence on the calls of functions that the ledger does not list; None without such calls.
    """
    if elsewhere is None:
        no_call, no_compile = NO_CALL, _NO_COMPILE
    else:
        no_call, no_compile = NO_CALL_IN_THREAD, _NO_COMPILE_IN_THREAD
    cost = _cost(ledger, no_call if unlisted is None else no_compile, no_compile)
    return " ".join(filter(None, (cost, unlisted, elsewhere)))


NO_CALL = "No call of a jitted function of yours was seen."
NO_CALL_IN_THREAD = "No call of a jitted function of yours was seen in this thread."
_NO_COMPILE = "No jitted function of yours compiled."
_NO_COMPILE_IN_THREAD = "No jitted function of yours compiled in this thread."


def _cost(ledger: Ledger, no_call: str, no_compile: str) -> str:
    misses = _misses(ledger, no_call, no_compile)
    if not ledger.small_seconds:
        return misses
    small, took = count(ledger.small_programs, "small program"), duration(ledger.small_seconds)
    outside = f"Compiling {small} for operations outside of jitted functions took {took}."
    remainder = None if ledger.cell_seconds is None else ledger.cell_seconds - ledger.seconds - ledger.small_seconds
    if remainder is None or remainder < 0:  # with several threads, compiles overlap, so the difference can be negative
        return f"{misses} {outside}"
    return f"{misses} {outside} The rest of the cell took {duration(remainder)}."


def _misses(ledger: Ledger, no_call: str, no_compile: str) -> str:
    if ledger.compiles:
        return _took(_COMPILED, ledger, compiles=count(ledger.compiles, "compile"))
    runs = [function.run for function in ledger.functions if in_run(function)]
    if not runs:
        return no_call
    from_disk = sum(run.from_disk for run in runs)
    if from_disk:
        loaded = count(from_disk, "executable")
        return f"{no_compile} {_took(_LOADED, ledger, loaded=loaded)}"
    if any(run.traces or run.lowerings for run in runs):
        return f"{no_compile} {_took(_TRACED, ledger)}"
    known_hits = [run.hits for run in runs if run.hits is not None]
    exact = len(known_hits) == len(runs) and all(run.calls_exact for run in runs)
    if not exact and not sum(known_hits):
        return f"{no_compile} The number of calls is unknown."
    if not sum(known_hits) and (raised := sum(run.raised or 0 for run in runs)):
        return f"{no_compile} {count(raised, 'call')} raised an error."
    if not sum(known_hits) and (inlined := sum(run.inlined or 0 for run in runs)):
        return f"{no_compile} JAX inlined {count(inlined, 'call')} into the trace of another function."
    return f"{no_compile} {count(sum(known_hits), 'call', exact=exact)} reused a compiled program."


def _took(sentences: tuple[str, str], ledger: Ledger, **values: str) -> str:
    alone, of_cell = sentences
    took = duration(ledger.seconds)
    if ledger.cell_seconds is None:
        return alone.format(took=took, **values)
    return of_cell.format(took=took, cell=duration(ledger.cell_seconds), **values)
