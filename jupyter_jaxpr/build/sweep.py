"""A sweep as it was measured in, the document's `Sweep` out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..document.types import timing as schema

if TYPE_CHECKING:
    from ..measure.times.repeated_calls import Warm
    from ..measure.times.sweep import Sweep
    from ..measure.times.swept import Point


def sweep_document(sweep: Sweep) -> schema.Sweep:
    """Say a sweep in the document's terms."""
    return schema.Sweep(
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


def _point(point: Point) -> schema.SweepPoint:
    return schema.SweepPoint(
        function=point.function,
        value=point.value,
        number=point.number,
        eager=_warm(point.eager),
        warm=_warm(point.warm),
        first=point.first,
        trace=point.trace,
        lower=point.lower,
        compile=point.compile,
        from_disk=point.from_disk,
        equations=point.equations,
        bytes=point.bytes,
        flops=point.flops,
        error=point.error,
    )


def _warm(warm: Warm | None) -> schema.WarmTime | None:
    if warm is None:
        return None
    return schema.WarmTime(
        median=warm.median,
        minimum=warm.minimum,
        lower=warm.lower,
        upper=warm.upper,
        runs=warm.runs,
        dispatch=warm.dispatch,
        batch=warm.batch,
    )
