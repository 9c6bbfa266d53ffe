"""Holds the result of one run of a construct step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .kept_steps import Leaf


@dataclass(frozen=True)
class Visit:
    """One execution of the construct; see `document.types.steps.Visit`."""

    first_point: int
    points: int
    trips: int
    outer: tuple[int, ...]
    finished: bool


@dataclass
class Steps:
    """The result of one run."""

    visits: list[Visit]
    visits_total: int
    step: list[int]
    leaves: list[Leaf]
    taken: list[int]  # the branch of each point, for a construct with branches
    stopped: str | None
    thinned: str | None
    # the number of steps after which the state repeats; 1 for a constant state; None without a repetition
    never_ends: int | None
    results: list[Any] | None  # the flat results; None where the run was stopped
    trips: int  # the number of steps of all visits
    notes: list[str] = field(default_factory=list)
