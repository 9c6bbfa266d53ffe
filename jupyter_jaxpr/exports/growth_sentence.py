"""Makes the sentences on how times, equations and memory grow in a sweep, for the panel and the exports."""

from __future__ import annotations

from ..document.types.timing import Sweep, SweepFit

TIMES = {"eager": "eager time", "first": "first-call time", "warm": "warm time", "compile": "compile time"}
_FEWEST_NUMBERS = 3
_GROWING = {**TIMES, "equations": "number of equations", "bytes": "memory size"}
# An exponent with a smaller absolute value counts as "no growth".
_FLAT = 0.15
# An error of the exponent below this is not printed, because it would read as zero.
_EXACT = 0.05


def unclear_growth(sweep: Sweep) -> str | None:
    """Return a sentence that names the times whose growth in a sweep is unclear; None if there are none."""
    if len({point.number for point in sweep.points if point.number is not None}) < _FEWEST_NUMBERS:
        return None
    fitted = {(fit.function, fit.series) for fit in sweep.fits}
    unclear = [
        f"the {TIMES[series]} of {function}"
        for function in sweep.functions
        for series in ("eager", "first", "warm")
        if (function, series) not in fitted
        and any(getattr(point, series) is not None for point in sweep.points if point.function == function)
    ]
    if not unclear:
        return None
    return (
        f"The points of the sweep do not show how these times grow: {', '.join(unclear)}. Sweep more values, or "
        "larger values."
    )


def growth_sentence(sweep: Sweep, fit: SweepFit) -> str:
    """Return a sentence on the power law of one series, such as `The warm time of f scales as n^2.0`."""
    subject = f"the {_GROWING[fit.series]} of {fit.function}"
    if abs(fit.exponent) < _FLAT:
        return f"{subject[0].upper()}{subject[1:]} hardly depends on {sweep.name}."
    power = f"{sweep.name}^{fit.exponent:.1f}"
    if fit.error is not None and fit.error >= _EXACT:
        power = f"{power} ± {fit.error:.1f}"
    if any(point.number is not None and point.number < fit.first_number for point in sweep.points):
        return f"From {sweep.name} = {fit.first_number:,.12g} on, {subject} scales as {power}."
    return f"{subject[0].upper()}{subject[1:]} scales as {power}."
