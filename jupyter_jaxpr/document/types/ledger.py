"""The types of the document's jit cache: functions, entries, hits, misses with their reasons."""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import FUNCTIONS, ROWS, SENTENCES, Refused
from .cures import Cure
from .struct import Count, Struct
from .struct import described as _text


class LedgerReason(Struct):
    """The reason why a call missed the cache."""

    kind: Annotated[
        str, _text("The kind of the reason, such as shape, static_value, new_function; see observe/cache/reason.py.")
    ]
    text: Annotated[
        str,
        _text("The reason in whole sentences, such as: The type of p['w'] changed from f32[10] to f32[20]."),
    ]
    argument: Annotated[
        str | None, _text("The path of the argument that the reason is about, such as p['w']; else null.")
    ]
    before: Annotated[
        str | None, _text("A short text of the part that differs, in the closest earlier key, such as f32[10].")
    ]
    after: Annotated[
        str | None,
        _text(
            "A short text of the part that differs, in this key, such as f32[20]. For a first call, the called object, "
            "if the object is more than the function, such as a wrapped function."
        ),
    ]
    cure: Annotated[
        str | None, _text("Advice: what the user can do about the miss, a sentence; null if no action is needed.")
    ]


class LedgerMiss(Struct, omit_defaults=True):
    """One call that missed JAX's C++ fast path, or that ran during the trace of another function."""

    outcome: Annotated[
        Literal["dispatch_only", "lowered", "compiled", "compiled_from_disk", "inlined", "raised"],
        _text(
            "The outcome of the call. dispatch_only: a slow hit; Python found an existing executable. lowered: JAX "
            "lowered again and reused the executable. compiled: XLA compiled. compiled_from_disk: the executable "
            "came from the disk cache. inlined: the call happened during the trace of another function. raised: the "
            "trace or the compilation raised an error."
        ),
    ]
    reasons: Annotated[
        list[LedgerReason],
        _text(
            "The reasons for the miss, against the closest earlier key; empty if the call was inlined or raised an "
            "error.",
            most=SENTENCES,
        ),
    ]
    signature: Annotated[str, _text("The argument types and static values of the call, such as x: f32[10], n=3.")]
    frame: Annotated[int, _text("The index into `frames` of the line that made the call; -1 if unknown.")]
    this_run: Annotated[bool, _text("True if the call happened in the run of this document.")]
    entry: Annotated[int, _text("The index into `entries` of the function; -1 if the call made or used no entry.")]
    trace: Annotated[float | None, _text("The seconds of the trace, by JAX's event; null if JAX did not trace.")]
    lower: Annotated[float | None, _text("The seconds of the lowering; null if JAX did not lower.")]
    compile: Annotated[
        float | None,
        _text("The seconds of the compilation or of reading the executable from disk; null without either."),
    ]
    total: Annotated[float | None, _text("The seconds of the call until the call returned; null if unknown.")]
    outcome_text: Annotated[
        str, _text("The outcome as a label, such as: slow hit. Empty in documents of older versions.")
    ] = ""
    cures: Annotated[
        list[Cure],
        _text(
            "The cures whose edits end the miss; each cure passed a trial. The kernel tries cures when the panel asks."
        ),
    ] = []


class LedgerEntry(Struct):
    """One cache entry: a key for which JAX holds everything that a call needs to run."""

    signature: Annotated[str, _text("The argument types and static values of the entry, such as x: f32[10], n=3.")]
    hits: Annotated[
        Count | None, _text("The number of calls that used the finished entry, including slow hits; null if unknown.")
    ]
    misses: Annotated[Count, _text("The number of calls with this key that traced, lowered or compiled.")]
    this_run: Annotated[bool, _text("True if a call in the run of this document made the entry.")]
    fast_path: Annotated[bool, _text("True if later calls with this key hit JAX's C++ fast path.")]
    held: Annotated[
        bool | None,
        _text("True if JAX still holds the entry; null if unknown. Entries that JAX no longer holds are not listed."),
    ] = True


class LedgerCounts(Struct):
    """The counts of one function, in one run or since the hooks were installed."""

    calls: Annotated[Count | None, _text("The number of observed calls; null if the calls could not be counted.")]
    calls_exact: Annotated[
        bool,
        _text("True if `calls` and `hits` are exact. False: the two are lower bounds, which the panel shows with a ≥."),
    ]
    hits: Annotated[
        Count | None, _text("The number of calls that compiled and lowered nothing; null if `calls` is null.")
    ]
    misses: Annotated[Count, _text("The number of calls that missed the C++ fast path, including slow hits.")]
    traces: Annotated[Count, _text("The number of traces, by JAX's events.")]
    lowerings: Annotated[Count, _text("The number of lowerings, by JAX's events.")]
    compiles: Annotated[
        Count, _text("The number of compilations, by JAX's events; executables that were read from disk do not count.")
    ]
    from_disk: Annotated[Count, _text("The number of executables that were read from the persistent cache.")]
    inlined: Annotated[Count, _text("The number of calls during the trace of another function.")]
    raised: Annotated[Count, _text("The number of calls that raised an error during the trace or the compilation.")]
    seconds: Annotated[float, _text("The seconds that the misses took: trace, lower and compile together.")]


class LedgerFunction(Struct):
    """One function of the user; function objects with the same name and the same def line are one function."""

    name: Annotated[str, _text("The name of the function as the user knows the function.")]
    definition: Annotated[int, _text("The index into `frames` of the line of the function's def; -1 if unknown.")]
    function_objects: Annotated[
        Count, _text("The number of different function objects of this def line that were jitted and called.")
    ]
    run: Annotated[LedgerCounts, _text("The counts in the run of this document.")]
    kernel: Annotated[
        LedgerCounts,
        _text(
            "The counts since the hooks were installed; `calls` is null if cells without the magic called the function."
        ),
    ]
    entries: Annotated[
        list[LedgerEntry],
        _text("The cache entries of the function, in the order in which JAX made the entries.", most=FUNCTIONS),
    ]
    misses: Annotated[
        list[LedgerMiss],
        _text("The newest 64 misses of the function, in the order of the calls.", most=Refused.MISSES_OF_FUNCTION),
    ]
    misses_left_out: Annotated[Count, _text("The number of older misses that are counted and not listed.")]


class LedgerLine(Struct):
    """The calls and compilations at one line of the cell that ran."""

    line: Annotated[int, _text("The number of the line, from 1.")]
    calls: Annotated[
        Count | None, _text("The number of calls of the user's jitted functions at this line; null if not counted.")
    ]
    calls_exact: Annotated[bool, _text("True if `calls` is exact. False: `calls` is a lower bound.")]
    hits: Annotated[
        Count | None, _text("The number of these calls that compiled and lowered nothing; null if `calls` is null.")
    ]
    compiles: Annotated[Count, _text("The number of compilations that this line caused.")]


class Ledger(Struct):
    """The jit cache, as this kernel observed the cache."""

    functions: Annotated[
        list[LedgerFunction],
        _text("The functions: the functions of this run in call order, then earlier functions.", most=FUNCTIONS),
    ]
    lines: Annotated[list[LedgerLine], _text("The lines of the cell that called jitted functions.", most=ROWS)]
    seconds: Annotated[float, _text("The seconds that the misses of this run took: trace, lower and compile together.")]
    compiles: Annotated[Count, _text("The number of compilations in this run by user functions.")]
    cell_seconds: Annotated[float | None, _text("The seconds that the cell ran; null outside a cell.")]
    library_functions: Annotated[
        list[str],
        _text(
            "The functions that JAX or packages jitted for their own use and that missed in this run, at most 200.",
            most=SENTENCES,
        ),
    ]
    library_misses: Annotated[Count, _text("The number of misses of library functions in this run.")]
    calls_note: Annotated[
        str | None, _text("The reason why call counts are lower bounds or absent; null if the counts are exact.")
    ]
    small_programs: Annotated[
        Count,
        _text("The number of programs that were compiled in this run for operations outside of jitted functions."),
    ] = 0
    small_seconds: Annotated[
        float, _text("The seconds that compiling these small programs took; not part of `seconds`.")
    ] = 0.0
    lead: Annotated[
        str, _text("The time that the misses of this run took, as sentences. Empty in documents of older versions.")
    ] = ""
