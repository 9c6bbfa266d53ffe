"""Limits how long a run of the stepper may take, how many of its steps are kept, and which loops it checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: After this many seconds, `--steps` begins no further recording.
SECONDS_OF_RECORDINGS: Final = 20.0
#: After this many seconds, the stepper runs no further call for the table of the calls of a cond or switch.
SECONDS_OF_CALLS: Final = 5.0

#: If the carry of a while loop has at most this many elements, the loop is checked for repeating states.
MOST_WATCHED_ELEMENTS = 100_000
_FEWEST_POINTS = 2


@dataclass(frozen=True)
class Bounds:
    """The limits of a run of the stepper.

    Attributes:
        points: The most steps that are kept.
        visits: The most visits that are kept.
        bytes: The most bytes of kept values.
        trips: The most steps of all loops together.
        seconds: The most seconds of the run, without compiles.
    """

    points: int = 1_000
    visits: int = 250
    bytes: int = 8_000_000
    trips: int = 1_000_000
    seconds: float = 10.0

    def kept_points(self, bytes_of_point: int) -> int:
        """Return how many steps are kept if each step has this many bytes."""
        return max(_FEWEST_POINTS, min(self.points, self.bytes // max(1, bytes_of_point)))

    def kept_visits(self, bytes_of_end: int) -> int:
        """Return how many visits are kept if the end of each visit has this many bytes."""
        return max(1, min(self.visits, self.bytes // max(1, bytes_of_end)))
