"""Finds how often each scope of a program runs in one call, and from which lines and name stacks.

If several equations call a scope, the scope has one entry with the sum of all executions. An equation without a user
line gets the line of the equation that calls its scope, and its name stack continues that equation's name stack.
Therefore the executions of a scope are also stored for each line and each name stack of the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field

from ..jaxpr.walk import Walk
from .costs_of_equations import Call, Costs, Part


@dataclass(slots=True)
class Runs:
    """How often a part of the program runs in one call of the program; see `costs_of_equations.Part`."""

    most: int = 0
    least: int = 0
    dearest: int = 0
    cheapest: int = 0
    per_trip: bool = False

    def add(self, other: Runs) -> None:
        """Add the executions of the same scope that another call causes."""
        self.most += other.most
        self.least += other.least
        self.dearest += other.dearest
        self.cheapest += other.cheapest
        self.per_trip |= other.per_trip

    def within(self, part: Part) -> Runs:
        """Return the executions of an inner program; `self` are the executions of the scope around it."""
        return Runs(
            self.most * part.most,
            self.least * part.least,
            self.dearest * part.dearest,
            self.cheapest * part.cheapest,
            self.per_trip or part.per_trip,
        )


@dataclass(slots=True)
class ScopeRuns:
    """How often a scope runs in one call of the program.

    Attributes:
        total: The number of all executions.
        frames: Frame of the calling user line (-1 if none) -> runs; used for equations without a user line.
        names: Name stack of the calling equation -> runs.
    """

    total: Runs = field(default_factory=Runs)
    frames: dict[int, Runs] = field(default_factory=dict)
    names: dict[str, Runs] = field(default_factory=dict)


def runs_of(costs: Costs, scope: int, call: int = -1) -> dict[int, ScopeRuns]:
    """Return {scope: its executions} for a program; callers come before the scopes that they call.

    Args:
        costs: The costs of the scopes in the `Walk`.
        scope: The scope of the program.
        call: The frame of the line that called the program; -1 if unknown.
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


def times_that_xla_counts(
    costs: Costs,
    scope: int,
    parts_of: Callable[[int, Call], Iterable[tuple[int, int]]],
    removed_in: Callable[[int], Container[int]],
) -> dict[int, int]:
    """Return {scope: how often XLA counts it} for the scopes that XLA counts; callers come before their callees.

    Args:
        costs: The costs of the scopes of the `Walk`.
        scope: The outermost scope of the program.
        parts_of: Returns (inner scope, how often XLA counts the scope) for an equation with inner programs.
        removed_in: Returns the equations of a scope that the executable lacks.
    """
    times = {number: int(number == scope) for number in in_order(costs, scope)}
    for number, outer in times.items():
        calls = costs.priced(number).calls if outer else []
        removed = removed_in(number) if calls else ()
        for call in calls:
            if call.equation not in removed:
                for inner, inner_times in parts_of(number, call):
                    times[inner] += outer * inner_times
    return {number: count for number, count in times.items() if count}


def below(prefix: str, name: str) -> str:
    """Return the name stack of an equation with the stack `name` inside of a call with the name stack `prefix`."""
    return f"{prefix}/{name}" if prefix and name else prefix or name


def frame_of(walk: Walk, stack: int) -> int:
    """Return the innermost user frame of a stack; -1 if it has none."""
    if stack < 0:
        return -1
    frames = walk.positions.stacks[stack][0]
    return frames[0] if frames else -1


def in_order(costs: Costs, scope: int) -> list[int]:
    """Return the scopes of a program that run, each caller before the scopes that it calls."""
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
