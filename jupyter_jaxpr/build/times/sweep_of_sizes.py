"""Builds the document's `Sweep` from a measured sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...document.types import timing as schema
from ...exports.growth_sentence import growth_sentence, unclear_growth
from ...measure.times.significant_time_difference import is_slower
from .times_of_calls import warm_document

if TYPE_CHECKING:
    from ...measure.times.repeated_calls import Warm
    from ...measure.times.sweep_point import Point
    from ...measure.times.sweep_run import Sweep


def sweep_document(sweep: Sweep) -> schema.Sweep:
    """Convert a measured sweep to the document's `Sweep`."""
    measured = schema.Sweep(
        name=sweep.name,
        call=sweep.call,
        functions=list(sweep.functions),
        points=[_point(point) for point in sweep.points],
        fits=[
            schema.SweepFit(
                function=fit.function,
                series=fit.series,
                exponent=fit.law.exponent,
                factor=fit.law.factor,
                error=fit.law.error,
                first_number=fit.law.first_number,
            )
            for fit in sweep.fits
        ],
        total=sweep.total,
        stopped=sweep.stopped,
        notes=list(sweep.notes),
        seconds=sweep.seconds,
    )
    fits = [msgspec.structs.replace(fit, sentence=growth_sentence(measured, fit)) for fit in measured.fits]
    unclear = unclear_growth(measured)
    notes = [*measured.notes, unclear] if unclear is not None else measured.notes
    return msgspec.structs.replace(measured, fits=fits, notes=notes)


def _ratio(eager: Warm | None, warm: Warm | None) -> float | None:
    """Return eager time divided by warm time; None if the samples do not differ clearly.

    The two times were not measured in alternation, so a small difference means nothing.
    """
    if eager is None or warm is None:
        return None
    eager_samples, warm_samples = eager.samples, warm.samples
    if is_slower(eager_samples, warm_samples, in_turns=False) or is_slower(warm_samples, eager_samples, in_turns=False):
        return eager.median / warm.median
    return None


def _point(point: Point) -> schema.SweepPoint:
    return schema.SweepPoint(
        function=point.function,
        value=point.value,
        number=point.number,
        eager=warm_document(point.eager),
        warm=warm_document(point.warm),
        first=point.first,
        trace=point.trace,
        lower=point.lower,
        compile=point.compile,
        from_disk=point.from_disk,
        equations=point.equations,
        bytes=point.bytes,
        flops=point.flops,
        error=point.error,
        ratio=_ratio(point.eager, point.warm),
    )
