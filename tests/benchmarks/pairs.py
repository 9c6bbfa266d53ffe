"""Measures two ways to do a thing in turns, so that other work of the machine affects both alike."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Pairs:
    """Seconds of each pair."""

    without: list[float]
    with_it: list[float]

    @property
    def ratio(self) -> float:
        """Median of the pairs' ratios."""
        return median(b / a for a, b in zip(self.without, self.with_it, strict=True))

    def excess(self, factor: float) -> float:
        """Median of what the second took longer than `factor` times the first, in seconds."""
        return median(b - factor * a for a, b in zip(self.without, self.with_it, strict=True))

    def figures(self) -> dict[str, float | int]:
        """For the JSON."""
        return {
            "pairs": len(self.without),
            "median_without": median(self.without),
            "median_with": median(self.with_it),
            "median_ratio": self.ratio,
        }


def alternate(without: Callable[[], float], with_it: Callable[[], float], count: int, warm_up: int = 1) -> Pairs:
    """Measure `count` pairs, each in the other order than the one before, after some that do not count.

    Args:
        without: Does it the one way, and gives its seconds.
        with_it: Does it the other way, and gives its seconds.
        count: How many pairs.
        warm_up: How many pairs before them.
    """
    pairs = Pairs([], [])
    for number in range(warm_up + count):
        gc.collect()  # not in the middle of either
        if number % 2:
            b, a = with_it(), without()
        else:
            a, b = without(), with_it()
        if number >= warm_up:
            pairs.without.append(a)
            pairs.with_it.append(b)
    return pairs
