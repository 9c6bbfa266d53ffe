"""Builds the document's `VariantComparison` from a measured comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from ...document.types import comparison as schema
from ...exports.comparison_table import arguments_sentence, variant_remarks
from ...measure.compare.verdict_sentences import verdict
from .times_of_calls import warm_document

if TYPE_CHECKING:
    from ...document.types.document import Program
    from ...measure.compare.compared_functions import Comparison, Variant
    from ...measure.times.sweep_run import Sweep
    from ...observe.observation import ObservedProgram


def comparison_document(
    comparison: Comparison,
    programs: Sequence[Program],
    observed: Sequence[ObservedProgram],
    sweep: Sweep | None = None,
) -> schema.VariantComparison:
    """Convert a measured comparison of variants to the document's `VariantComparison`.

    Args:
        comparison: The measured times and costs of the variants.
        programs: The programs of the document.
        observed: JAX's objects of each program; the programs of the variants are among these.
        sweep: The measurements at several values of a name, if the user asked for a sweep.
    """
    return schema.VariantComparison(
        call=comparison.call,
        arguments=arguments_sentence(comparison.call),
        variants=[_variant(variant, programs, observed) for variant in comparison.variants],
        verdict=verdict(comparison, sweep),
        stopped=comparison.stopped,
        sweep=comparison.sweep,
    )


def _variant(variant: Variant, programs: Sequence[Program], observed: Sequence[ObservedProgram]) -> schema.Variant:
    program = next((i for i, observation in enumerate(observed) if observation is variant.program), -1)
    measured = schema.Variant(
        name=variant.name,
        program=program,
        equations=programs[program].equations if program >= 0 else None,
        trace=variant.trace,
        lower=variant.lower,
        compile=variant.compile,
        from_disk=variant.from_disk,
        warm=warm_document(variant.warm),
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
    return msgspec.structs.replace(measured, remarks=variant_remarks(measured))
