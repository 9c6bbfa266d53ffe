"""Sums JAX's stage events of one call: trace, lower, compile, first run, rest.

- `CallStages`: collects the events of one call as they come.
- `LooseCompile`: a compilation that belongs to no call of a user's function.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..jax.facts import COMPILE_EVENT, LOWER_EVENT, TRACE_EVENT
from .observation import Place, StageTimes

StageEvent = tuple[str, float, bool]
"""JAX's event, its seconds, and for a compilation whether the executable was read from disk."""

STAGE_NAMES = {TRACE_EVENT: "trace", LOWER_EVENT: "lower", COMPILE_EVENT: "compile"}


class LooseEvent(NamedTuple):
    """A stage that ended outside the calls observed, waiting for a derived program to claim it."""

    event: str
    name: str | None
    seconds: float
    from_disk: bool
    place: Place | None = None  # the user's line, of what is compiled
    within: bool = False  # a call that is observed: the stages of that call hold the seconds


class Tally(NamedTuple):
    """How often JAX did what for one call, and the seconds of each stage that it reported."""

    traces: int
    lowerings: int
    compiles: int  # retrievals from disk not included
    from_disk: int
    seconds: dict[str, float]  # by event


@dataclass(slots=True, eq=False)
class CallTimes:
    """The seconds of a call that is over, to be worked out when asked for: at the call there is no time for it."""

    started_at: float
    compiled_at: float | None
    ended_at: float
    events: tuple[StageEvent, ...]

    def times(self) -> StageTimes:
        """What was reported, and what is left of the whole."""
        tally = _tally(self.events)
        total = self.ended_at - self.started_at
        first_run = None if self.compiled_at is None else self.ended_at - self.compiled_at
        rest = total - sum(tally.seconds.values()) - (first_run or 0.0)
        return StageTimes(**_by_name(tally), first_run=first_run, rest=max(rest, 0.0), total=total)


class CallStages:
    """The stages of one call: what JAX reports is noted as it comes, and summed up when asked for."""

    __slots__ = ("compiled_at", "events", "made", "started_at")

    def __init__(self) -> None:
        self.started_at = time.perf_counter()
        self.compiled_at: float | None = None
        self.made = False  # whether anything was lowered or compiled
        self.events: list[StageEvent] = []

    def add(self, event: str, seconds: float, from_disk: bool) -> None:
        """Take in a stage that has just ended."""
        self.events.append((event, seconds, from_disk))
        if event != TRACE_EVENT:
            self.made = True
        if event == COMPILE_EVENT:
            self.compiled_at = time.perf_counter()

    def take_in(self, other: CallStages) -> None:
        """Take in the stages of a program that JAX derived and made within this call."""
        self.events += other.events
        self.made |= other.made
        self.compiled_at = other.compiled_at or self.compiled_at

    def tally(self) -> Tally:
        """What was reported until now, summed up."""
        return _tally(self.events)

    @property
    def finished(self) -> list[tuple[str, float]]:
        """Stage and seconds, in order."""
        return [(STAGE_NAMES[event], seconds) for event, seconds, _ in self.events]

    @property
    def lowerings(self) -> int:
        """How often JAX lowered."""
        return self.tally().lowerings

    @property
    def compiles(self) -> int:
        """How often JAX compiled, retrievals from disk included."""
        return self.tally().compiles + self.tally().from_disk

    def by_name(self) -> dict[str, float]:
        """Seconds by stage: trace, lower, compile; only those that JAX reported."""
        return {STAGE_NAMES[event]: seconds for event, seconds in self.tally().seconds.items()}

    def times(self, ended_at: float) -> StageTimes:
        """The seconds of the call, which ended at `ended_at` by `time.perf_counter`."""
        return self.until(ended_at).times()

    def until(self, ended_at: float) -> CallTimes:
        """As `times`, to be worked out later."""
        return CallTimes(self.started_at, self.compiled_at, ended_at, tuple(self.events))

    def stages_only(self) -> StageTimes:
        """The seconds without a whole: where the call is not one that the user made."""
        return StageTimes(**_by_name(self.tally()))


def _tally(events: Iterable[StageEvent]) -> Tally:
    traces = lowerings = compiles = disk = 0
    seconds: dict[str, float] = {}
    for event, took, from_disk in events:
        seconds[event] = seconds.get(event, 0.0) + took
        if event == TRACE_EVENT:
            traces += 1
        elif event == LOWER_EVENT:
            lowerings += 1
        elif from_disk:
            disk += 1
        else:
            compiles += 1
    return Tally(traces, lowerings, compiles, disk, seconds)


def _by_name(tally: Tally) -> dict[str, Any]:
    of = tally.seconds.get
    return {
        "trace": of(TRACE_EVENT),
        "lower": of(LOWER_EVENT),
        "compile": of(COMPILE_EVENT),
        "from_disk": tally.from_disk > 0,
    }
