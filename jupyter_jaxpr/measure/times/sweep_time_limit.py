"""Decides from the earlier times of a sweep whether the next call would take too long, so that it is left out."""

from __future__ import annotations

import math

# A call that is expected to take more seconds than this is left out, unless the user agreed.
TOO_LONG = 10.0
# A series is assumed to grow at most with this power of the swept number.
_STEEPEST = 4.0


class Growth:
    """Predicts from the durations at earlier numbers whether the next call would take too long.

    Attributes:
        over: True if a call was already left out because it would take too long.
    """

    def __init__(self) -> None:
        self._samples: list[tuple[float, float]] = []
        self.over = False

    def too_long(self, number: float | None) -> bool:
        """Return whether a call at `number` would take too long and is left out."""
        expected = self.expected(number)
        return self.over or (expected is not None and expected > TOO_LONG)

    def took(self, number: float | None, seconds: float) -> None:
        """Record that a call took `seconds` when the swept number was `number`."""
        if number is not None and number > 0:
            self._samples.append((number, max(seconds, 1e-9)))

    def expected(self, number: float | None) -> float | None:
        """Return the expected seconds at a larger number, predicted from the last two calls.

        None if there is no prediction.
        """
        if not self._samples or number is None:
            return None
        last, seconds = max(self._samples)
        if number <= last:
            return None
        steps = sorted(self._samples)[-2:]
        exponent = 1.0
        if len(steps) == 2 and steps[0][0] < steps[1][0]:
            exponent = math.log(steps[1][1] / steps[0][1]) / math.log(steps[1][0] / steps[0][0])
        growth = min(max(exponent, 0.0), _STEEPEST) * math.log(number / last)
        return seconds * math.exp(min(growth, 700.0))
