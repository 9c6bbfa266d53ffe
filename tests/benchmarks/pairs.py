"""Measures two ways of doing the same thing alternately, so that other work of the machine affects both equally."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Pairs:
    """The seconds of both measurements in each pair."""

    without: list[float]
    with_it: list[float]

    @property
    def ratio(self) -> float:
        """Return the median of the pairs' ratios."""
        return median(b / a for a, b in zip(self.without, self.with_it, strict=True))

    def excess(self, factor: float) -> float:
        """Return the median of the seconds by which the second measurement exceeds `factor` times the first."""
        return median(b - factor * a for a, b in zip(self.without, self.with_it, strict=True))

    def figures(self) -> dict[str, float | int]:
        """Return the figures for the JSON."""
        return {
            "pairs": len(self.without),
            "median_without": median(self.without),
            "median_with": median(self.with_it),
            "median_ratio": self.ratio,
        }


def alternate(without: Callable[[], float], with_it: Callable[[], float], count: int, warm_up: int = 1) -> Pairs:
    """Measure `count` pairs, each in the reverse order of the previous pair, after `warm_up` pairs that do not count.

    Args:
        without: Makes the first measurement, and returns its seconds.
        with_it: Makes the second measurement, and returns its seconds.
        count: The number of pairs.
        warm_up: The number of pairs before them.
    """
    pairs = Pairs([], [])
    for number in range(warm_up + count):
        gc.collect()  # so that the garbage collector does not run during a measurement
        if number % 2:
            b, a = with_it(), without()
        else:
            a, b = without(), with_it()
        if number >= warm_up:
            pairs.without.append(a)
            pairs.with_it.append(b)
    return pairs
