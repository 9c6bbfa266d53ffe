"""Fits a power law to the points of a series: least squares on log-log axes, beyond the fixed cost.

A call of few elements costs what any call costs: dispatch, a thread, a file. Those points say nothing of how the work
grows, so the line leaves them out. The rule: the points up to the last one below twice the smallest are the fixed cost
of the series, and the line goes through the points after them; where none is, the series is flat and the line goes
through all. A line needs three points, and an exponent that their spread supports.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# A value below this multiple of the smallest value is fixed cost.
FIXED = 2.0
_FEWEST = 3
# An exponent with a larger error is not shown: n^1 and n^2 must be clearly distinct.
_LARGEST_ERROR = 0.3
# For one to ten degrees of freedom: half the width of a 95 % interval in standard errors (Student's t).
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)


@dataclass(frozen=True)
class PowerLaw:
    """A line on log-log axes: `factor` x number ^ `exponent`.

    Attributes:
        exponent: The slope of the line.
        factor: The value of the line at 1.
        error: Half the width of the 95 % interval around the exponent.
        first_number: The number from which on the line uses the points.
    """

    exponent: float
    factor: float
    error: float
    first_number: float


def power_law(points: Sequence[tuple[float, float]], spreads: Sequence[float] = ()) -> PowerLaw | None:
    """Fit a power law to (number, value) pairs, in any order.

    Pairs without a logarithm (0, negative numbers) are left out.

    Args:
        points: The numbers and values.
        spreads: For each value, the relative spread of its samples; empty for single samples and counts.

    Returns:
        The power law; None where fewer than three points exceed the fixed cost, or where the exponent is uncertain.
    """
    parts = spreads or [0.0] * len(points)
    positive = sorted((*point, part) for point, part in zip(points, parts, strict=True) if min(point) > 0)
    used = positive[_first([value for _, value, _ in positive]) :]
    if len({number for number, *_ in used}) < _FEWEST:
        return None
    xs = [math.log(number) for number, *_ in used]
    ys = [math.log(value) for _, value, _ in used]
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    width = math.fsum((x - mean_x) ** 2 for x in xs)
    exponent = math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / width
    intercept = mean_y - exponent * mean_x
    apart = math.fsum((y - intercept - exponent * x) ** 2 for x, y in zip(xs, ys, strict=True))
    within = math.fsum(((x - mean_x) * part) ** 2 for x, (*_, part) in zip(xs, used, strict=True))
    freedom = len(used) - 2
    student = _STUDENT[min(freedom, len(_STUDENT)) - 1]
    error = math.hypot(student * math.sqrt(apart / freedom / width), 2 * math.sqrt(within) / width)
    # the values surely grow, or surely do not
    is_known = error < abs(exponent) or abs(exponent) + error < _LARGEST_ERROR
    if error > _LARGEST_ERROR or not is_known:
        return None
    return PowerLaw(exponent, math.exp(min(intercept, 700.0)), error, used[0][0])


def _first(values: Sequence[float]) -> int:
    """Return the index of the first point that the line uses."""
    if not values:
        return 0
    smallest = min(values)
    last = max(place for place, value in enumerate(values) if value < FIXED * smallest)
    return 0 if last == len(values) - 1 else last + 1
