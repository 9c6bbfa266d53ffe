"""Limits the work of a run of the stepper, and the part of the run that is kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """The limits of a run of the stepper.

    Attributes:
        points: The number of steps that are kept.
        visits: The number of visits that are kept.
        bytes: The size of the kept values.
        trips: The number of steps of all loops together.
        seconds: The duration of the run, without compiles.
    """

    points: int = 1_000
    visits: int = 250
    bytes: int = 8_000_000
    trips: int = 1_000_000
    seconds: float = 10.0
