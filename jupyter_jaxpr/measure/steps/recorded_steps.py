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
    taken: list[int]  # if the construct is a cond or a switch: for each point the index of the branch that ran
    stopped: str | None
    thinned: str | None
    # if the loop never ends: the number of steps after which its state repeats (1 if the state is constant); else None
    never_ends: int | None
    results: list[Any] | None  # `results`: the flat results of the program; None if the run was stopped.
    trips: int  # `trips`: the number of steps of all visits.
    notes: list[str] = field(default_factory=list)
