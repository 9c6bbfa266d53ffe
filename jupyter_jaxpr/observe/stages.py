"""JAX's stage events of one call in, its seconds out: trace, lower, compile, first run, rest.

- `CallStages`: collects the events of one call as they come.
- `LooseCompile`: a compilation that belongs to no call of a user's function.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..jax_internals import COMPILE_EVENT, LOWER_EVENT, TRACE_EVENT
from .observation import StageTimes

STAGE_NAMES = {TRACE_EVENT: "trace", LOWER_EVENT: "lower", COMPILE_EVENT: "compile"}


@dataclass(frozen=True, slots=True)
class LooseEvent:
    """A stage that ended outside the calls observed, waiting for a derived program to claim it."""

    event: str
    name: str | None
    seconds: float
    from_disk: bool


class CallStages:
    """The stages of one call, filled as JAX reports them."""

    __slots__ = ("compiled_at", "compiles", "finished", "from_disk", "lowerings", "seconds", "started_at", "traces")

    def __init__(self) -> None:
        self.started_at = time.perf_counter()
        self.compiled_at: float | None = None
        self.seconds: dict[str, float] = {}
        self.finished: list[tuple[str, float]] = []  # stage and seconds, in order
        self.traces = 0
        self.lowerings = 0
        self.compiles = 0  # retrievals from disk included
        self.from_disk = 0

    def add(self, event: str, seconds: float, from_disk: bool) -> None:
        """Take in a stage that has just ended."""
        self.seconds[event] = self.seconds.get(event, 0.0) + seconds
        self.finished.append((STAGE_NAMES[event], seconds))
        if event == TRACE_EVENT:
            self.traces += 1
        elif event == LOWER_EVENT:
            self.lowerings += 1
        elif event == COMPILE_EVENT:
            self.compiles += 1
            self.from_disk += from_disk
            self.compiled_at = time.perf_counter()

    def take_in(self, other: CallStages) -> None:
        """Take in the stages of a program that JAX derived and made within this call."""
        for event, seconds in other.seconds.items():
            self.seconds[event] = self.seconds.get(event, 0.0) + seconds
        self.finished += other.finished
        self.traces += other.traces
        self.lowerings += other.lowerings
        self.compiles += other.compiles
        self.from_disk += other.from_disk
        self.compiled_at = other.compiled_at or self.compiled_at

    def by_name(self) -> dict[str, float]:
        """Seconds by stage: trace, lower, compile; only those that JAX reported."""
        return {STAGE_NAMES[event]: seconds for event, seconds in self.seconds.items()}

    def times(self, ended_at: float) -> StageTimes:
        """The seconds of the call, which ended at `ended_at` by `time.perf_counter`."""
        total = ended_at - self.started_at
        first_run = None if self.compiled_at is None else ended_at - self.compiled_at
        rest = total - sum(self.seconds.values()) - (first_run or 0.0)
        return StageTimes(
            trace=self.seconds.get(TRACE_EVENT),
            lower=self.seconds.get(LOWER_EVENT),
            compile=self.seconds.get(COMPILE_EVENT),
            from_disk=self.from_disk > 0,
            first_run=first_run,
            rest=max(rest, 0.0),
            total=total,
        )

    def stages_only(self) -> StageTimes:
        """The seconds without a whole: where the call is not one that the user made."""
        return StageTimes(
            trace=self.seconds.get(TRACE_EVENT),
            lower=self.seconds.get(LOWER_EVENT),
            compile=self.seconds.get(COMPILE_EVENT),
            from_disk=self.from_disk > 0,
        )
