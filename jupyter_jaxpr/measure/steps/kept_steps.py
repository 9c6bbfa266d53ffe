"""Collects the recorded steps from the buffers, piece by piece, and makes the sentences on which steps were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...interruptions import not_of_a_signal
from .kept_elements import Seen
from .recorded_columns import Column, Target


@dataclass(frozen=True)
class VisitEnd:
    """The end of a kept visit; `parts` has the recorded values of each column in `Target.ends`."""

    number: int
    trips: int
    outer: tuple[int, ...]
    finished: bool
    parts: Sequence[tuple[Any, ...]]


@dataclass
class Leaf:
    """A column of recorded values; see `document.types.steps.Leaf`."""

    role: str
    index: int
    type: str
    elements: int
    number_name: str
    summarised: bool
    seen: list[Seen] = field(default_factory=list)
    # If the condition compares the scalar: the literal with which it is compared, or the index of a constant of the
    # loop.
    threshold: Any = None
    threshold_constant: int | None = None
    # If the condition compares the scalar: the comparison that keeps the loop running, such as `above`.
    side: str = ""
    # If the condition compares the scalar: the index of the scalar in the carry.
    carry: int | None = None


@dataclass
class _Point:
    visit: int
    step: int
    parts: tuple[tuple[Any, ...], ...]


class Kept:
    """The kept steps of a construct, and its kept visits; a visit is one execution of the construct.

    Args:
        target: The construct.
        points: The most steps to keep.
        visits: The most visits to keep.
    """

    def __init__(self, target: Target, points: int, visits: int) -> None:
        self.target = target
        self.visit_every = 1
        self.step_every = 1
        self.visit_count = 0  # `visit_count`: the number of visits so far.
        self.trips = 0  # `trips`: the number of steps of all visits so far.
        self.points: list[_Point] = []
        self.ends: list[VisitEnd] = []
        self._capacity = points
        self._visits = visits
        self._last: _Point | None = None  # the newest step, if `visit_every` and `step_every` leave the step out
        self._lost = False

    def add(self, buffers: dict[str, Any]) -> None:
        """Add the recorded steps and visits from the buffers of one piece of the run."""
        room = buffers["step"].shape[0] - 1
        count = min(int(buffers["points"]), room)
        self._lost |= int(buffers["points"]) > room
        leaves = buffers["leaves"]

        def point(row: int) -> _Point:
            parts = tuple(tuple(part[row] for part in column) for column in leaves)
            return _Point(int(buffers["visit"][row]), int(buffers["step"][row]), parts)

        self.points.extend(point(row) for row in range(count))
        self._last = point(room) if buffers["step"][room] >= 0 else self._last
        for row in range(min(int(buffers["visits"]), buffers["number"].shape[0] - 1)):
            self.ends.append(
                VisitEnd(
                    int(buffers["number"][row]),
                    int(buffers["trips"][row]),
                    tuple(int(step) for step in buffers["outer"][row]),
                    bool(buffers["finished"][row]),
                    [tuple(part[row] for part in column) for column in buffers["ends"]],
                )
            )
        self.visit_count += int(buffers["seen"])
        self.trips += int(buffers["trips_total"])

    def end(self, end: VisitEnd) -> None:
        """End the only visit of the run, and keep the last step of the visit in any case."""
        self.visit_count = 1
        self.trips = end.trips
        self.ends.append(end)
        last = self._last
        if self.points and (last is None or last.step < self.points[-1].step):
            last = self.points[-1]
        self.thin()
        while last is not None and (not self.points or self.points[-1] is not last):
            if len(self.points) < self._capacity:
                self.points.append(last)
            else:
                self.coarser(many_visits=False)

    def thin(self) -> None:
        """Drop some of the kept steps and visits if there are too many."""
        while len(self.points) > self._capacity or len(self.ends) > self._visits:
            self.coarser(many_visits=len(self.ends) > 8)

    def coarser(self, many_visits: bool) -> None:
        """From now on keep half as many visits, or half as many steps of each visit."""
        if many_visits:
            self.visit_every *= 2
            self.ends = [end for end in self.ends if end.number % self.visit_every == 0]
            self.points = [point for point in self.points if point.visit % self.visit_every == 0]
        else:
            self.step_every *= 2
            self.points = [point for point in self.points if point.step % self.step_every == 0]

    def thinned(self) -> str | None:
        """Return sentences on the steps and visits that were left out; None if all are kept."""
        sentences = []
        if self.step_every > 1:
            sentences.append(f"The stepper keeps one of every {self.step_every:,} steps.")
        if self.visit_every > 1:
            sentences.append(f"The stepper keeps one of every {self.visit_every:,} executions of the construct.")
        if not sentences and self._lost:
            sentences.append("The stepper keeps only the first steps.")
        if not sentences:
            return None
        return " ".join([*sentences, f"The stepper keeps at most {self._capacity:,} steps."])


VisitColumns = tuple[int, int, int, tuple[int, ...], bool]


def leaves_of(kept: Kept) -> tuple[list[VisitColumns], list[int], list[Leaf], list[int]]:
    """Return the recording as columns: visits, step of each point, values (leaves), branch of each point."""
    kept.thin()
    target = kept.target
    leaves = [_leaf(column) for column in target.columns]
    ends = [target.ends.index(column) if column in target.ends else -1 for column in target.columns]
    by_visit: dict[int, list[_Point]] = {}
    for point in kept.points:
        by_visit.setdefault(point.visit, []).append(point)
    visits: list[VisitColumns] = []
    steps: list[int] = []
    condition: list[Seen] = []
    branches: list[int] = []
    for end in sorted(kept.ends, key=lambda end: end.number):
        points = by_visit.get(end.number, [])
        visits.append((len(steps), len(points), end.trips, end.outer, end.finished))
        for leaf, column, place in zip(leaves, range(len(leaves)), ends, strict=True):
            sketch = target.columns[column].sketch
            leaf.seen.extend(sketch.read(point.parts[column]) for point in points)
            if place >= 0:
                leaf.seen.append(sketch.read(end.parts[place]))
        steps.extend(point.step for point in points)
        condition.extend(_truth(True) for _ in points)
        condition.append(_truth(not end.finished))
        if target.name in ("cond", "select_n"):
            branches.extend(int(point.parts[0][0][0]) for point in points)
    if target.name == "while":
        leaves.append(Leaf("condition", 0, "bool[]", 1, "value", False, condition))
    return visits, steps, leaves, branches


def _truth(value: bool) -> Seen:
    return Seen(str(value), float(value), None, None, None, 0, 0)


def _leaf(column: Column) -> Leaf:
    sketch, compared = column.sketch, column.compared
    leaf = Leaf(column.role, column.index, sketch.type, sketch.elements, sketch.number_name, sketch.summarised)
    if compared is not None:
        leaf.threshold, leaf.threshold_constant = compared.literal, compared.constant
        leaf.side, leaf.carry = compared.side, compared.carry
    return leaf


def number_of(value: Any) -> float | None:
    """Return a literal as the number that the user wrote: 1e-05 for a float32, not 9.999999747378752e-06."""
    scalar = np.asarray(value)
    try:
        return float(str(scalar[()]))
    except not_of_a_signal(TypeError, ValueError):
        return None
