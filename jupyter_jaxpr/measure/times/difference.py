"""Decides whether repeated samples of two calls show that one call takes longer.

One sample of each shows nothing: the first of two equal functions to be compiled may take three times as long as the
second. A few samples show a difference where their whole ranges are apart. Many show a large one where their middle
halves are apart, and a small one where all but the lowest and the highest tenth are: two executables of one program on
a busy machine differ by a tenth now and then. A machine that is busy now and then spreads the samples, and hides no
large difference: of many samples, most pairs show one, too (the statistic of Mann and Whitney).
"""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

# Fewer samples show no difference. Two times five equal samples are fully apart in one of 126 cases.
FEWEST = 5
_MANY = 20
# For twice twenty samples of one distribution, the share of pairs exceeds this in one of two thousand cases.
_PAIRS_ABOVE = 0.8
_LARGE_RATIO = 3.0
# A ratio that rounds to 1.0 is no difference, however narrow the ranges.
_LEAST_RATIO = 1.05
_LEAST_RATIO_APART = 1.5
# Below this ratio, all samples but the highest and the lowest tenth must be apart; above it, the middle halves.
_SMALL_RATIO = 1.5


def is_slower(samples: Sequence[float], other_samples: Sequence[float], *, in_turns: bool = True) -> bool:
    """Return whether samples show that one call takes longer than the call of the other samples.

    Args:
        samples: The seconds of the first call.
        other_samples: The seconds of the other call.
        in_turns: True if the samples were taken in turns. Otherwise a slow phase of the machine may be in only one of
            the two series.
    """
    fewer = min(len(samples), len(other_samples))
    least = _LEAST_RATIO if in_turns else _LEAST_RATIO_APART
    if fewer < FEWEST or statistics.median(samples) < least * statistics.median(other_samples):
        return False
    if fewer < _MANY:
        return min(samples) > max(other_samples)
    ratio = statistics.median(samples) / statistics.median(other_samples)
    parts = 10 if ratio < _SMALL_RATIO else 4
    if _quantiles(samples, parts)[0] > _quantiles(other_samples, parts)[-1]:
        return True
    return ratio >= _LARGE_RATIO and _share_above(samples, other_samples) >= _PAIRS_ABOVE


def _quantiles(samples: Sequence[float], parts: int) -> list[float]:
    return statistics.quantiles(samples, n=parts, method="inclusive")


def _share_above(samples: Sequence[float], other_samples: Sequence[float]) -> float:
    """Return the share of all pairs in which the first call took longer; a tie counts half."""
    ordered = sorted(other_samples)
    above = sum(bisect_left(ordered, sample) + bisect_right(ordered, sample) for sample in samples)
    return above / (2 * len(samples) * len(other_samples))
