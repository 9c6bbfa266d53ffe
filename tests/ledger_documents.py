"""Makes a ledger by hand: one function that JAX compiled twice, the second time for another shape."""

from __future__ import annotations

from jupyter_jaxpr.document.types.ledger import (
    Ledger,
    LedgerCounts,
    LedgerEntry,
    LedgerFunction,
    LedgerMiss,
    LedgerReason,
)


def counts(calls: int | None, exact: bool = True) -> LedgerCounts:
    return LedgerCounts(
        calls=calls,
        calls_exact=exact,
        hits=None if calls is None else calls - 2,
        misses=2,
        traces=2,
        lowerings=2,
        compiles=2,
        from_disk=0,
        inlined=0,
        raised=0,
        seconds=0.24,
    )


def miss(reason: LedgerReason, signature: str, entry: int, frame: int) -> LedgerMiss:
    return LedgerMiss(
        outcome="compiled",
        reasons=[reason],
        signature=signature,
        frame=frame,
        this_run=True,
        entry=entry,
        trace=0.005,
        lower=0.015,
        compile=0.1,
        total=0.13,
    )


def ledger(frame: int = -1) -> Ledger:
    """Return a ledger in which every line of code is given by this index of a frame."""
    first = LedgerReason(
        kind="first_call", text="This is the first call of rnn.", argument=None, before=None, after=None, cure=None
    )
    shape = LedgerReason(
        kind="shape",
        text="The type of xs changed from f32[100,8] to f32[60,8].",
        argument="xs",
        before="f32[100,8]",
        after="f32[60,8]",
        cure="Pad the array to one shape, or expect one compile for each shape.",
    )
    entries = [
        LedgerEntry(signature=text, hits=None, misses=1, this_run=True, fast_path=True)
        for text in ("xs: f32[100,8]", "xs: f32[60,8]")
    ]
    function = LedgerFunction(
        name="rnn",
        definition=frame,
        function_objects=1,
        run=counts(4),
        kernel=counts(None),
        entries=entries,
        misses=[miss(first, "xs: f32[100,8]", 0, frame), miss(shape, "xs: f32[60,8]", 1, frame)],
        misses_left_out=0,
    )
    return Ledger(
        functions=[function],
        lines=[],
        seconds=0.24,
        compiles=2,
        cell_seconds=0.31,
        library_functions=[],
        library_misses=0,
        calls_note=None,
    )
