"""Finds the number of calls from which jit saves time: the break-even."""

from __future__ import annotations

import math

from ...measure.times.repeated_calls import Warm
from ...observe.observation import StageTimes
from .sentences_on_times import returned_early


def break_even(stages: StageTimes | None, warm: Warm, eager: Warm) -> int | None:
    """Return the number of calls, the first call included, after which jit has saved time.

    A warm call must be faster than an eager call. None if the seconds of the first call's stages are unknown.
    """
    if stages is None or stages.total is None:
        return None
    first_seconds = stages.total + (warm.median - (stages.first_run or 0.0) if returned_early(stages, warm) else 0.0)
    return max(1, math.ceil((first_seconds - warm.median) / (eager.median - warm.median)))
