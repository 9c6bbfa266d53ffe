"""Adds up the times of JAX's stages in one call: trace, lower, compile, first run, rest.

- `CallStages`: collects the stage events of one call.
- `LooseEvent`: a stage outside of every call of a user's function.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..jax.facts import COMPILE_EVENT, LOWER_EVENT, TRACE_EVENT
from .observation import Place, StageTimes

StageEvent = tuple[str, float, bool]
"""JAX's event, its seconds, and for a compile whether JAX read the executable from disk."""

STAGE_NAMES = {TRACE_EVENT: "trace", LOWER_EVENT: "lower", COMPILE_EVENT: "compile"}


class LooseEvent(NamedTuple):
    """A stage that ended outside of every observed call.

    If the stage belongs to a program that JAX derives later, the event moves to this program.

    Attributes:
        place: for a compile: the user's line that caused it.
        within: true if an observed call was open, which already counts the seconds of the stage.
    """

    event: str
    name: str | None
    seconds: float
    from_disk: bool
    place: Place | None = None
    within: bool = False


class Tally(NamedTuple):
    """The number of traces, lowerings and compiles in one call, and the seconds of each reported stage.

    Attributes:
        compiles: the number of programs that XLA compiled; executables read from disk are not counted.
        seconds: JAX event -> its seconds.
    """

    traces: int
    lowerings: int
    compiles: int
    from_disk: int
    seconds: dict[str, float]


@dataclass(slots=True, eq=False)
class CallTimes:
    """The stage events of an ended call; only `times` adds them up, to keep the call fast."""

    started_at: float
    compiled_at: float | None
    ended_at: float
    events: tuple[StageEvent, ...]

    def times(self) -> StageTimes:
        """Return the seconds of each stage that JAX reported, of the first run, and of the rest of the call."""
        tally = _tally(self.events)
        total = self.ended_at - self.started_at
        first_run = None if self.compiled_at is None else self.ended_at - self.compiled_at
        other_seconds = total - sum(tally.seconds.values()) - (first_run or 0.0)
        return StageTimes(**_by_name(tally), first_run=first_run, rest=max(other_seconds, 0.0), total=total)


class CallStages:
    """The stage events of one call, collected while JAX reports them.

    Attributes:
        has_program: true if JAX lowered or compiled a program in the call.
    """

    __slots__ = ("compiled_at", "events", "has_program", "started_at")

    def __init__(self) -> None:
        self.started_at = time.perf_counter()
        self.compiled_at: float | None = None
        self.has_program = False
        self.events: list[StageEvent] = []

    def add(self, event: str, seconds: float, from_disk: bool) -> None:
        """Add a stage that has just ended to the stages of the call."""
        self.events.append((event, seconds, from_disk))
        if event != TRACE_EVENT:
            self.has_program = True
        if event == COMPILE_EVENT:
            self.compiled_at = time.perf_counter()

    def take_in(self, other: CallStages) -> None:
        """Add the stages of a program that JAX derived and ran within this call."""
        self.events += other.events
        self.has_program |= other.has_program
        self.compiled_at = other.compiled_at or self.compiled_at

    def tally(self) -> Tally:
        """Return the numbers and the seconds of the stages that JAX has reported until now."""
        return _tally(self.events)

    @property
    def finished(self) -> list[tuple[str, float]]:
        """(name, seconds) of each stage that has ended, in the order of the stages."""
        return [(STAGE_NAMES[event], seconds) for event, seconds, _ in self.events]

    @property
    def traces(self) -> int:
        """The number of traces in the call."""
        return self.tally().traces

    @property
    def lowerings(self) -> int:
        """The number of lowerings in the call."""
        return self.tally().lowerings

    @property
    def compiles(self) -> int:
        """The number of compiles; an executable that JAX read from disk counts, too."""
        return self.tally().compiles + self.tally().from_disk

    def by_name(self) -> dict[str, float]:
        """Return {stage name (trace, lower or compile): its seconds} for the stages that JAX reported."""
        return {STAGE_NAMES[event]: seconds for event, seconds in self.tally().seconds.items()}

    def times(self, ended_at: float) -> StageTimes:
        """Return the seconds of each stage of the call; `ended_at` is its end, by `time.perf_counter`."""
        return self.until(ended_at).times()

    def until(self, ended_at: float) -> CallTimes:
        """Return the stage events up to `ended_at`, the end of the call; the result computes the times on request."""
        return CallTimes(self.started_at, self.compiled_at, ended_at, tuple(self.events))

    def stages_only(self) -> StageTimes:
        """Return the seconds of the stages, without a total.

        Used for stages outside of the user's calls, and for calls that have not ended: neither has a total.
        """
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
    seconds_of = tally.seconds.get
    return {
        "trace": seconds_of(TRACE_EVENT),
        "lower": seconds_of(LOWER_EVENT),
        "compile": seconds_of(COMPILE_EVENT),
        "from_disk": tally.from_disk > 0,
    }
