"""Fits a power law to the points of a series by least squares on log-log axes, without the points of fixed cost.

A call with few elements takes about the time of an empty call (dispatch, threads), so its point says nothing about how
the work grows. All points up to the last one below twice the smallest value count as this fixed cost, and the line is
fitted to the later points; if there are none, the series is flat and the line is fitted to all. A fit needs at least
three points and an exponent with a small enough error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Values below this multiple of the smallest value count as fixed cost.
FIXED = 2.0
_FEWEST = 3
# An exponent with a larger error is not shown, because n^1 and n^2 could not be distinguished.
_LARGEST_ERROR = 0.3
# For one to ten degrees of freedom, half the width of the 95 % interval in standard errors (Student's t).
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)


@dataclass(frozen=True)
class PowerLaw:
    """A line on log-log axes: `factor` x number ^ `exponent`.

    Attributes:
        exponent: The slope of the line.
        factor: The value of the line at 1.
        error: Half the width of the 95 % interval around the exponent.
        first_number: The smallest number whose point is used for the fit.
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
        The power law; None if fewer than three points are beyond the fixed cost, or if the exponent is uncertain.
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
    # with 95 % confidence, the exponent differs from 0 or is small
    is_known = error < abs(exponent) or abs(exponent) + error < _LARGEST_ERROR
    if error > _LARGEST_ERROR or not is_known:
        return None
    return PowerLaw(exponent, math.exp(min(intercept, 700.0)), error, used[0][0])


def _first(values: Sequence[float]) -> int:
    """Return the index of the first point that counts for the fit: the first point after the fixed cost."""
    if not values:
        return 0
    smallest = min(values)
    last = max(place for place, value in enumerate(values) if value < FIXED * smallest)
    return 0 if last == len(values) - 1 else last + 1
