"""Several functions that should do the same, side by side: sizes, times, results, derivatives, recompiles."""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import SENTENCES, VARIANTS
from .struct import Count, Struct
from .struct import described as _text
from .timing import WarmTime as WarmTime


class Variant(Struct):
    """One function of a comparison."""

    name: Annotated[str, _text("As the user gave it.")]
    program: Annotated[int, _text("Index into programs; -1 where it made none.")]
    equations: Annotated[Count | None, _text("Over all scopes; null where it made no program.")]
    trace: Annotated[float | None, _text("Seconds; null when not measured.")]
    lower: Annotated[float | None, _text("Seconds; null when not measured.")]
    compile: Annotated[float | None, _text("Seconds; null when not measured.")]
    from_disk: Annotated[bool, _text("The executable came from the persistent compilation cache.")]
    warm: Annotated[WarmTime | None, _text("Null when not measured.")]
    differentiable: Annotated[
        Literal["reverse", "forward", "none", "no_floats", "unknown"],
        _text(
            "reverse: grad works. forward: only jvp does, as for a while_loop. none: neither. no_floats: nothing to "
            "differentiate. unknown: see differentiable_note."
        ),
    ]
    differentiable_note: Annotated[str | None, _text("JAX's own words where it does not; else null.")]
    recompiles: Annotated[Count | None, _text("Compiles over the sweep of the arguments; null without a sweep.")]
    result: Annotated[str | None, _text("Short text of its result; null where it raised.")]
    agrees: Annotated[
        Literal["same_bits", "close", "differs", "other_types", "unknown"], _text("With the first variant's result.")
    ]
    difference: Annotated[
        str | None, _text("The largest difference, where, and the tolerance: words; null where the bits are the same.")
    ]
    error: Annotated[str | None, _text("What it raised, one line; null where it did not.")]
    mode: Annotated[
        Literal["jitted", "jitted_here", "eager", "missing"],
        _text(
            "jitted: called as it is, under the user's own jax.jit. jitted_here: a plain function, under a jax.jit of "
            "the comparison. eager: JAX cannot trace it, so it was called without jit. missing: there is no such "
            "function; see error."
        ),
    ] = "jitted"
    notes: Annotated[
        list[str], _text("What else is to be known, sentences: what was not measured, and why.", most=SENTENCES)
    ] = []
    calls: Annotated[Count, _text("How often it was called for the comparison.")] = 0
    remarks: Annotated[
        list[str],
        _text(
            "The notes, what it raised and why it has no derivative: sentences; empty in older documents.",
            most=SENTENCES,
        ),
    ] = []


class VariantComparison(Struct):
    """Variants side by side."""

    call: Annotated[str, _text("The call whose arguments all variants were called with, as the user wrote it.")]
    variants: Annotated[list[Variant], _text("In the order they were given.", most=VARIANTS)]
    verdict: Annotated[
        list[str], _text("Which variant compiles faster, which runs faster, and more: sentences.", most=SENTENCES)
    ]
    stopped: Annotated[str | None, _text("Why it is not complete, a sentence; null where it is.")]
    sweep: Annotated[str | None, _text("What the recompiles were counted over, such as n = 8, 16; else null.")] = None
    arguments: Annotated[str, _text("Which arguments all variants were called with, a sentence.")] = ""
