"""Decides whether repeated time samples of two calls show that one of the calls is slower.

One sample of each shows nothing: of two equal functions, the one compiled first may take three times as long. A few
samples show a difference if their complete ranges do not overlap. Many samples show a large difference if their middle
halves do not overlap, and a small one if the ranges without the lowest and the highest tenth do not overlap; this is
needed because two executables of one program may differ by a tenth on a busy machine. If the machine is busy now and
then, the samples spread; then a large difference is shown by the share of pairs in which one call was slower (the
statistic of Mann and Whitney).
"""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

# With fewer samples, no difference is stated. If two calls are equally fast, all five samples of one are below all five
# of the other in only one of 126 cases.
FEWEST = 5
_MANY = 20
# If two calls are equally fast and have twenty samples each, this share is exceeded in only one of two thousand cases.
_PAIRS_ABOVE = 0.8
_LARGE_RATIO = 3.0
# A smaller ratio rounds to 1.0 and is not stated as a difference, even if the ranges are narrow.
_LEAST_RATIO = 1.05
_LEAST_RATIO_APART = 1.5
# Below this ratio, the ranges without the highest and the lowest tenth must not overlap; above it, the middle halves.
_SMALL_RATIO = 1.5


def is_slower(samples: Sequence[float], other_samples: Sequence[float], *, in_turns: bool = True) -> bool:
    """Return whether `samples` show that their call is slower than the call of `other_samples`.

    Args:
        samples: The seconds of the first call.
        other_samples: The seconds of the other call.
        in_turns: True if the two calls were timed alternately. Otherwise a slow phase of the machine may affect only
            one of
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
    """Return the share of all pairs of samples in which the first call was slower; equal samples count as a half."""
    ordered = sorted(other_samples)
    above = sum(bisect_left(ordered, sample) + bisect_right(ordered, sample) for sample in samples)
    return above / (2 * len(samples) * len(other_samples))
