"""The types of a comparison of functions that should compute the same: sizes, times, results, derivatives, compiles."""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import SENTENCES, VARIANTS
from .struct import Count, Struct
from .struct import described as _text
from .timing import WarmTime as WarmTime


class Variant(Struct):
    """The measurements of one of the functions that a comparison measures side by side."""

    name: Annotated[str, _text("The name of the variant as the user gave the name.")]
    program: Annotated[
        int, _text("The index into `programs` of the variant's program; -1 if the variant made no program.")
    ]
    equations: Annotated[
        Count | None,
        _text("The number of equations of the variant's program over all scopes; null if the variant made no program."),
    ]
    trace: Annotated[float | None, _text("The seconds of the trace; null if not measured.")]
    lower: Annotated[float | None, _text("The seconds of the lowering; null if not measured.")]
    compile: Annotated[float | None, _text("The seconds of the compilation; null if not measured.")]
    from_disk: Annotated[bool, _text("True if the executable came from the persistent compilation cache.")]
    warm: Annotated[WarmTime | None, _text("The times of warm calls; null if not measured.")]
    differentiable: Annotated[
        Literal["reverse", "forward", "none", "no_floats", "unknown"],
        _text(
            "The derivatives that JAX can take of the variant. reverse: grad works. forward: only jvp works, as for "
            "a while_loop. none: neither works. no_floats: there is nothing to differentiate. unknown: see "
            "`differentiable_note`."
        ),
    ]
    differentiable_note: Annotated[
        str | None, _text("The message of JAX if the variant is not differentiable; else null.")
    ]
    recompiles: Annotated[
        Count | None, _text("The number of compilations over the sweep of the arguments; null without a sweep.")
    ]
    result: Annotated[str | None, _text("A short text of the variant's result; null if the variant raised an error.")]
    agrees: Annotated[
        Literal["same_bits", "close", "differs", "other_types", "unknown"],
        _text("The agreement of the variant's result with the result of the first variant."),
    ]
    difference: Annotated[
        str | None,
        _text(
            "The largest difference from the first variant's result, its place and the tolerance, in words; null if "
            "the bits are the same."
        ),
    ]
    error: Annotated[
        str | None, _text("The error that the variant raised, on one line; null if the variant raised no error.")
    ]
    mode: Annotated[
        Literal["jitted", "jitted_here", "eager", "missing"],
        _text(
            "The way in which the variant was called. jitted: under the user's own jax.jit. jitted_here: a plain "
            "function, under a jax.jit of the comparison. eager: without jit, because JAX cannot trace the "
            "function. missing: there is no such function; see `error`."
        ),
    ] = "jitted"
    notes: Annotated[
        list[str],
        _text("Further facts about the variant, as sentences: what was not measured, and why.", most=SENTENCES),
    ] = []
    calls: Annotated[Count, _text("The number of calls of the variant for the comparison.")] = 0
    remarks: Annotated[
        list[str],
        _text(
            "The notes, the error of the variant and the reason for a missing derivative, as sentences; empty in "
            "older documents.",
            most=SENTENCES,
        ),
    ] = []


class VariantComparison(Struct):
    """A comparison of several variants side by side."""

    call: Annotated[str, _text("The call whose arguments all variants received, as the user wrote the call.")]
    variants: Annotated[list[Variant], _text("The variants, in the order that the user gave.", most=VARIANTS)]
    verdict: Annotated[
        list[str],
        _text(
            "The result of the comparison, such as the variants that compile and run faster, as sentences.",
            most=SENTENCES,
        ),
    ]
    stopped: Annotated[
        str | None,
        _text("The reason why the comparison is not complete, a sentence; null if the comparison is complete."),
    ]
    sweep: Annotated[
        str | None, _text("The values over which the recompiles were counted, such as n = 8, 16; null without a sweep.")
    ] = None
    arguments: Annotated[str, _text("The arguments that all variants received, as a sentence.")] = ""
