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

#: Fewer samples of a call show no difference. Of two times five, one in 126 is apart by chance.
FEWEST = 5
_MANY = 20
#: Of twice twenty samples of one distribution, this share of the pairs is reached in one case of two thousand.
_PAIRS_ABOVE = 0.8
_LARGE_RATIO = 3.0
#: What rounds to 1.0 is no difference, however narrow the ranges.
_LEAST_RATIO = 1.05
_LEAST_RATIO_APART = 1.5
#: A smaller ratio needs samples that are further apart.
_SMALL_RATIO = 1.5


def is_slower(samples: Sequence[float], others: Sequence[float], *, in_turns: bool = True) -> bool:
    """Whether samples show that a call takes longer than the call of the other samples.

    Args:
        samples: Seconds.
        others: Likewise.
        in_turns: Whether they were taken by turns. What slows the machine down for a while is in one of them alone
            where they were not.
    """
    fewer = min(len(samples), len(others))
    least = _LEAST_RATIO if in_turns else _LEAST_RATIO_APART
    if fewer < FEWEST or statistics.median(samples) < least * statistics.median(others):
        return False
    if fewer < _MANY:
        return min(samples) > max(others)
    ratio = statistics.median(samples) / statistics.median(others)
    parts = 10 if ratio < _SMALL_RATIO else 4
    if _quantiles(samples, parts)[0] > _quantiles(others, parts)[-1]:
        return True
    return ratio >= _LARGE_RATIO and _share_above(samples, others) >= _PAIRS_ABOVE


def _quantiles(samples: Sequence[float], parts: int) -> list[float]:
    return statistics.quantiles(samples, n=parts, method="inclusive")


def _share_above(samples: Sequence[float], others: Sequence[float]) -> float:
    """The share of all pairs in which the first call took longer; a tie counts half."""
    ordered = sorted(others)
    above = sum(bisect_left(ordered, each) + bisect_right(ordered, each) for each in samples)
    return above / (2 * len(samples) * len(others))
