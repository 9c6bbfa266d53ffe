"""How much a run of the stepper may do, and how much of the run is kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """How much a run may do.

    Attributes:
        points: Steps that are kept.
        visits: Visits that are kept.
        bytes: What the kept values may take.
        trips: Steps of all loops on the way, together.
        seconds: Of the run, compilation apart.
    """

    points: int = 1_000
    visits: int = 250
    bytes: int = 8_000_000
    trips: int = 1_000_000
    seconds: float = 10.0
