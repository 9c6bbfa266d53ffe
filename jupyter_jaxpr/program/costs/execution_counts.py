"""Finds how often each scope of a program runs in one call, and from which lines and name stacks.

A scope that several equations call has one entry, with the sum of the runs. An equation without a line of the user has
the line of the equation that calls its scope, and its name stack continues that equation's name stack. For this reason
the runs of a scope are also stored by the line and by the name stack of the calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..jaxpr.walk import Walk
from .scopes import Call, Costs, Part


@dataclass(slots=True)
class Runs:
    """The number of runs of a part of the program in one call of the program; see `scopes.Part`."""

    most: int = 0
    least: int = 0
    dearest: int = 0
    cheapest: int = 0
    per_trip: bool = False

    def add(self, other: Runs) -> None:
        """Add the runs of another place."""
        self.most += other.most
        self.least += other.least
        self.dearest += other.dearest
        self.cheapest += other.cheapest
        self.per_trip |= other.per_trip

    def within(self, part: Part) -> Runs:
        """Return the runs of a program inside an equation of a scope that has these runs."""
        return Runs(
            self.most * part.most,
            self.least * part.least,
            self.dearest * part.dearest,
            self.cheapest * part.cheapest,
            self.per_trip or part.per_trip,
        )


@dataclass(slots=True)
class ScopeRuns:
    """The runs of a scope.

    Attributes:
        total: All runs.
        frames: The runs by the frame of the user's line that calls the scope, for equations without one; -1 for none.
        names: The runs by the name stack of the call.
    """

    total: Runs = field(default_factory=Runs)
    frames: dict[int, Runs] = field(default_factory=dict)
    names: dict[str, Runs] = field(default_factory=dict)


def runs_of(costs: Costs, scope: int, call: int = -1) -> dict[int, ScopeRuns]:
    """Return the runs of all scopes of a program, callers before the scopes that they call.

    Args:
        costs: The prices of the walk.
        scope: The scope of the program.
        call: The frame of the line that called the program; -1 where it is unknown.
    """
    walk = costs.walk
    runs_by_scope: dict[int, ScopeRuns] = {number: ScopeRuns() for number in in_order(costs, scope)}
    single = Runs(1, 1, 1, 1)
    runs_by_scope[scope] = ScopeRuns(single, {call: single}, {"": single})
    for number, runs in runs_by_scope.items():
        columns = walk.scopes[number]
        for call_priced in costs.priced(number).calls:
            frame = frame_of(walk, columns.stack[call_priced.equation])
            name = walk.strings.items[columns.name_stack[call_priced.equation]]
            _hand_on(runs, runs_by_scope, call_priced, frame, name)
    return runs_by_scope


def _hand_on(runs: ScopeRuns, runs_by_scope: dict[int, ScopeRuns], call: Call, frame: int, name: str) -> None:
    for part in call.parts:
        inner = runs_by_scope[part.scope]
        inner.total.add(runs.total.within(part))
        if frame >= 0:
            inner.frames.setdefault(frame, Runs()).add(runs.total.within(part))
        else:
            for around, outer in runs.frames.items():
                inner.frames.setdefault(around, Runs()).add(outer.within(part))
        for prefix, outer in runs.names.items():
            inner.names.setdefault(below(prefix, name), Runs()).add(outer.within(part))


def below(prefix: str, name: str) -> str:
    """Return the name stack of `name` inside of the name stack `prefix`."""
    return f"{prefix}/{name}" if prefix and name else prefix or name


def frame_of(walk: Walk, stack: int) -> int:
    """Return the innermost user frame of a stack; -1 for none."""
    if stack < 0:
        return -1
    frames = walk.positions.stacks[stack][0]
    return frames[0] if frames else -1


def in_order(costs: Costs, scope: int) -> list[int]:
    """Return the scopes of a program that run, callers first."""
    ordered: list[int] = []
    visited = {scope}

    def inside(number: int) -> Iterator[int]:
        for call in costs.priced(number).calls:
            for part in call.parts:
                yield part.scope

    waiting = [(scope, inside(scope))]
    while waiting:
        number, children = waiting[-1]
        child = next((child for child in children if child not in visited), None)
        if child is None:
            ordered.append(number)
            waiting.pop()
        else:
            visited.add(child)
            waiting.append((child, inside(child)))
    return ordered[::-1]
