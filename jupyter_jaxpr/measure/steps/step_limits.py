"""Limits how long a run of the stepper may take, and how many of its steps are kept."""

from __future__ import annotations

from dataclasses import dataclass


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
