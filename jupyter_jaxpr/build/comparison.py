"""A comparison as it was measured in, the document's `VariantComparison` out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..document.types import comparison as schema
from ..measure.compare.verdict import verdict

if TYPE_CHECKING:
    from ..document.types.document import Program
    from ..measure.compare.variants import Comparison, Variant
    from ..measure.times.repeated_calls import Warm
    from ..observe.observation import ObservedProgram


def comparison_document(
    comparison: Comparison,
    programs: Sequence[Program],
    observed: Sequence[ObservedProgram],
) -> schema.VariantComparison:
    """Say a comparison in the document's terms.

    Args:
        comparison: What was measured.
        programs: The document's.
        observed: JAX's objects of each of them; the variants' programs are among them.
    """
    return schema.VariantComparison(
        call=comparison.call,
        variants=[_variant(variant, programs, observed) for variant in comparison.variants],
        verdict=verdict(comparison),
        stopped=comparison.stopped,
        sweep=comparison.sweep,
    )


def _variant(variant: Variant, programs: Sequence[Program], observed: Sequence[ObservedProgram]) -> schema.Variant:
    program = next((i for i, each in enumerate(observed) if each is variant.program), -1)
    return schema.Variant(
        name=variant.name,
        program=program,
        equations=programs[program].equations if program >= 0 else None,
        trace=variant.trace,
        lower=variant.lower,
        compile=variant.compile,
        from_disk=variant.from_disk,
        warm=_warm(variant.warm) if variant.warm is not None else None,
        differentiable=variant.differentiable.direction,
        differentiable_note=variant.differentiable.note,
        recompiles=variant.recompiles,
        result=variant.result,
        agrees=variant.agreement.agrees if variant.agreement is not None else "unknown",
        difference=variant.agreement.difference if variant.agreement is not None else None,
        error=variant.error,
        mode=variant.mode,
        notes=list(variant.notes),
        calls=variant.calls,
    )


def _warm(warm: Warm) -> schema.WarmTime:
    return schema.WarmTime(
        median=warm.median,
        minimum=warm.minimum,
        lower=warm.lower,
        upper=warm.upper,
        runs=warm.runs,
        dispatch=warm.dispatch,
        batch=warm.batch,
    )
