"""Finds the number of calls from which jit saves time, the break-even, and writes the sentence on the number."""

from __future__ import annotations

import math

from ...measure.times.repeated_calls import Warm
from ...observe.observation import StageTimes


def break_even(stages: StageTimes | None, warm: Warm, eager: Warm) -> int | None:
    """Return the number of calls, the first call included, after which jit has saved time.

    A warm call must be faster than an eager call. None if the seconds of the first call's stages are unknown.
    """
    if stages is None or stages.total is None:
        return None
    first_seconds = stages.total + (warm.median - (stages.first_run or 0.0) if returned_early(stages, warm) else 0.0)
    return max(1, math.ceil((first_seconds - warm.median) / (eager.median - warm.median)))


def sentence_on_break_even(pays_after: int | None) -> str:
    """Return the sentence on the number of calls from which jit saves time; the number is None if jit saves no time."""
    if pays_after is None:
        return "jit saves no time: a call without jit is not slower than a warm call."
    if pays_after == 1:
        return "jit saves time from the first call on."
    return f"With the first call included, jit saves time from {pays_after:,} calls on."


def returned_early(stages: StageTimes, warm: Warm | None) -> bool:
    """Return whether the first call certainly returned before its computation ended, since JAX does not wait for it."""
    return warm is not None and stages.first_run is not None and stages.first_run < warm.median / 2
