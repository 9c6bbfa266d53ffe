"""Holds the recorded steps of one run of a construct."""

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
    """The recorded steps of one run of a construct."""

    visits: list[Visit]
    visits_total: int
    step: list[int]
    leaves: list[Leaf]
    taken: list[int]  # for a construct with branches: the branch of each point
    stopped: str | None
    thinned: str | None
    # the number of steps after which the state of the loop repeats (1 if it is constant); None if it does not
    never_ends: int | None
    results: list[Any] | None  # the flat results of the program; None if the run was stopped
    trips: int  # the number of steps of all visits
    notes: list[str] = field(default_factory=list)
