"""The types of the document's jit cache: functions, entries, hits, misses with their reasons."""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import FUNCTIONS, ROWS, SENTENCES
from .cures import Cure
from .struct import Count, Struct
from .struct import described as _text


class LedgerReason(Struct):
    """Why a call missed the cache."""

    kind: Annotated[str, _text("Such as shape, static_value, new_function; see observe/cache/reason.py.")]
    text: Annotated[
        str,
        _text("The reason in whole sentences, such as: The type of p['w'] changed from f32[10] to f32[20]."),
    ]
    argument: Annotated[str | None, _text("Path of the argument it is about, such as p['w']; else null.")]
    before: Annotated[str | None, _text("Short text of the ingredient in the closest earlier key, such as f32[10].")]
    after: Annotated[
        str | None,
        _text(
            "Short text of the ingredient in this key, such as f32[20]. Of a first call: what was called, where that "
            "is more than the function, such as a wrapped one."
        ),
    ]
    cure: Annotated[str | None, _text("Advice: what to do about it, a sentence; null where there is nothing to do.")]


class LedgerMiss(Struct, omit_defaults=True):
    """One call that missed JAX's C++ fast path, or that ran while another function was traced."""

    outcome: Annotated[
        Literal["dispatch_only", "lowered", "compiled", "compiled_from_disk", "inlined", "raised"],
        _text(
            "dispatch_only: a slow hit, Python found an executable that was there. "
            "lowered: lowered again, executable reused. compiled: by XLA. compiled_from_disk: from the disk cache. "
            "inlined: called while another function was traced. raised: the trace or the compilation raised."
        ),
    ]
    reasons: Annotated[
        list[LedgerReason],
        _text("Against the closest earlier key; empty where it was inlined or raised.", most=SENTENCES),
    ]
    signature: Annotated[str, _text("The argument types and static values of the call, such as x: f32[10], n=3.")]
    frame: Annotated[int, _text("Index into frames: the line that made the call; -1 when unknown.")]
    this_run: Annotated[bool, _text("It happened in the run of this document.")]
    entry: Annotated[int, _text("Index into the function's entries; -1 where it made or used none.")]
    trace: Annotated[float | None, _text("Seconds of the trace, by JAX's event; null where there was none.")]
    lower: Annotated[float | None, _text("Seconds of the lowering; null where there was none.")]
    compile: Annotated[float | None, _text("Seconds of the compilation or retrieval; null where there was none.")]
    total: Annotated[float | None, _text("Seconds of the call until it returned; null when unknown.")]
    outcome_text: Annotated[
        str, _text("The outcome as a label, such as: slow hit. Empty in documents of older versions.")
    ] = ""
    cures: Annotated[
        list[Cure],
        _text("Edits that end the miss, each with a trial that passed. They are tried when the panel asks for them."),
    ] = []


class LedgerEntry(Struct):
    """One cache entry: a key for which JAX holds what is needed to run."""

    signature: Annotated[str, _text("Argument types and static values, such as x: f32[10], n=3.")]
    hits: Annotated[
        Count | None, _text("Calls that used it once it was made, slow hits included; null where not known.")
    ]
    misses: Annotated[Count, _text("Calls with this key that traced, lowered or compiled.")]
    this_run: Annotated[bool, _text("It was made in the run of this document.")]
    fast_path: Annotated[bool, _text("Later calls with this key hit JAX's C++ fast path.")]
    held: Annotated[
        bool | None, _text("JAX holds it still; null where that is unknown. Entries that are gone are not listed.")
    ] = True


class LedgerCounts(Struct):
    """Counts of one function, in one run or since the hooks went in."""

    calls: Annotated[Count | None, _text("Calls seen; null where they could not be counted.")]
    calls_exact: Annotated[bool, _text("False: calls and hits are lower bounds, shown with a ≥.")]
    hits: Annotated[Count | None, _text("Calls that compiled and lowered nothing; null where calls is.")]
    misses: Annotated[Count, _text("Calls that missed the C++ fast path, slow hits included.")]
    traces: Annotated[Count, _text("By JAX's events.")]
    lowerings: Annotated[Count, _text("By JAX's events.")]
    compiles: Annotated[Count, _text("By JAX's events, retrievals from disk not counted.")]
    from_disk: Annotated[Count, _text("Executables retrieved from the persistent cache.")]
    inlined: Annotated[Count, _text("Calls while another function was traced.")]
    raised: Annotated[Count, _text("Calls that raised while tracing or compiling.")]
    seconds: Annotated[float, _text("What its misses cost: trace, lower and compile together.")]


class LedgerFunction(Struct):
    """One function of the user's: function objects of one name and def line are one."""

    name: Annotated[str, _text("As the user knows it.")]
    definition: Annotated[int, _text("Index into frames: the line of its def; -1 when unknown.")]
    function_objects: Annotated[
        Count, _text("How many different function objects of this line were jitted and called.")
    ]
    run: Annotated[LedgerCounts, _text("In the run of this document.")]
    kernel: Annotated[
        LedgerCounts, _text("Since the hooks went in; calls is null where cells without the magic called it.")
    ]
    entries: Annotated[list[LedgerEntry], _text("In the order they were made.", most=FUNCTIONS)]
    misses: Annotated[list[LedgerMiss], _text("In the order they happened, the newest 64.", most=SENTENCES)]
    misses_left_out: Annotated[Count, _text("Older misses that are counted and not listed.")]


class LedgerLine(Struct):
    """What happened at one line of the cell that ran."""

    line: Annotated[int, _text("From 1.")]
    calls: Annotated[
        Count | None, _text("Calls of jitted functions of the user's at this line; null where not counted.")
    ]
    calls_exact: Annotated[bool, _text("False: a lower bound.")]
    hits: Annotated[Count | None, _text("Those of them that compiled and lowered nothing; null where calls is.")]
    compiles: Annotated[Count, _text("Compilations caused by this line.")]


class Ledger(Struct):
    """The jit cache as this kernel saw it."""

    functions: Annotated[
        list[LedgerFunction], _text("Those of this run first, in call order, then earlier ones.", most=FUNCTIONS)
    ]
    lines: Annotated[list[LedgerLine], _text("Lines of the cell that called jitted functions.", most=ROWS)]
    seconds: Annotated[float, _text("What the misses of this run cost: trace, lower and compile together.")]
    compiles: Annotated[Count, _text("Compilations in this run, by user functions.")]
    cell_seconds: Annotated[float | None, _text("How long the cell ran; null outside a cell.")]
    library_functions: Annotated[
        list[str],
        _text(
            "Functions that JAX or packages jitted for their own use and that missed in this run, at most 200.",
            most=SENTENCES,
        ),
    ]
    library_misses: Annotated[Count, _text("How often those missed in this run.")]
    calls_note: Annotated[str | None, _text("Why calls are lower bounds or absent here; null where they are exact.")]
    small_programs: Annotated[
        Count, _text("Programs compiled in this run for operations outside of jitted functions.")
    ] = 0
    small_seconds: Annotated[float, _text("What compiling them took; no part of seconds.")] = 0.0
    lead: Annotated[
        str, _text("What the misses of this run cost, as sentences. Empty in documents of older versions.")
    ] = ""
