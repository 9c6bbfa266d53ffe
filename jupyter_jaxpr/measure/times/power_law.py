"""Points of a series in, the power law through them out: least squares on log-log axes, beyond the fixed cost.

A call of few elements costs what any call costs: dispatch, a thread, a file. Those points say nothing of how the work
grows, so the line leaves them out. The rule: the points up to the last one below twice the smallest are the fixed cost
of the series, and the line goes through the points after them. Where only one point is after them, the last of them is
taken as well (the exponent is then a lower bound); where none is, the series is flat and the line goes through all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: A value below this many times the smallest one is fixed cost.
FIXED = 2.0


@dataclass(frozen=True)
class PowerLaw:
    """A line on log-log axes: `factor` x number ^ `exponent`.

    Attributes:
        exponent: Its slope.
        factor: Its value at 1.
        error: Standard error of the exponent; None with two points.
        first_number: The line goes through the points from this number on.
    """

    exponent: float
    factor: float
    error: float | None
    first_number: float


def power_law(points: Sequence[tuple[float, float]]) -> PowerLaw | None:
    """Fit (number, value) pairs, in any order; None with fewer than two different positive numbers.

    What has no logarithm (0, negative numbers) is left out.
    """
    known = sorted((number, value) for number, value in points if number > 0 and value > 0)
    used = known[_first(known) :]
    if len({number for number, _ in used}) < 2:
        return None
    xs = [math.log(number) for number, _ in used]
    ys = [math.log(value) for _, value in used]
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    spread = math.fsum((x - mean_x) ** 2 for x in xs)
    exponent = math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
    intercept = mean_y - exponent * mean_x
    error = None
    if len(used) > 2:
        apart = math.fsum((y - intercept - exponent * x) ** 2 for x, y in zip(xs, ys, strict=True))
        error = math.sqrt(apart / (len(used) - 2) / spread)
    return PowerLaw(exponent, math.exp(min(intercept, 700.0)), error, used[0][0])


def _first(known: Sequence[tuple[float, float]]) -> int:
    """Index of the first point that the line goes through."""
    if not known:
        return 0
    smallest = min(value for _, value in known)
    last = max(place for place, (_, value) in enumerate(known) if value < FIXED * smallest)
    beyond = len(known) - 1 - last
    if not beyond:
        return 0
    return last + 1 if beyond > 1 else last
