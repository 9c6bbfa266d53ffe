"""Builds the document's `WarmTime` from the measured times of a warm call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..document.types.timing import WarmTime

if TYPE_CHECKING:
    from ..measure.times.repeated_calls import Warm


def warm_document(warm: Warm | None) -> WarmTime | None:
    """Convert the measured times of a warm call to the document's `WarmTime`; None if nothing was measured."""
    if warm is None:
        return None
    return WarmTime(
        median=warm.median,
        minimum=warm.minimum,
        lower=warm.lower,
        upper=warm.upper,
        runs=warm.runs,
        dispatch=warm.dispatch,
        batch=warm.batch,
    )
