"""Builds the document's `ProgramTiming` and `WarmTime` from the measured times of the first and of later calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...document.types.timing import ProgramTiming, WarmTime
from ...measure.times.program_timing import ProgramTimes
from ...measure.times.significant_time_difference import is_slower
from ...measure.times.timing_questions_and_remarks import question
from .break_even_of_jit import break_even
from .sentences_on_times import timing_sentences

if TYPE_CHECKING:
    from ...document.types.document import Snapshot
    from ...measure.times.repeated_calls import Warm
    from ...observe.observation import StageTimes
    from ..sources_of_requests import Sources


def timing_document(program: int, stages: StageTimes | None, times: ProgramTimes) -> ProgramTiming:
    """Convert the measured times of a program to the document's `ProgramTiming`.

    Args:
        program: The index of the program.
        stages: The seconds of each stage of the call that made the program; None if unknown.
        times: The measured times of the later calls.
    """
    warm, eager = times.warm, times.eager
    ratio: tuple[float, float] | None = None
    pays_after: int | None = None
    # A call that compiles again has no warm time, so `ratio` and `pays_after` stay unknown if each call compiles.
    if warm is not None and eager is not None and not times.compiling:
        saves = is_slower(eager.samples, warm.samples)
        if saves:
            pays_after = break_even(stages, warm, eager)
        if saves or is_slower(warm.samples, eager.samples):
            ratio = eager.lower / warm.upper, eager.upper / warm.lower
    return ProgramTiming(
        program=program,
        warm=warm_document(warm),
        eager=warm_document(eager),
        ratio=ratio,
        pays_after=pays_after,
        sentence=timing_sentences(stages, warm, eager, times.compiling, ratio, pays_after),
        notes=list(times.notes),
        stopped=times.stopped,
    )


def asks_before(document: Snapshot, sources: Sources, program: int) -> str | None:
    """Return the question that the panel asks before it times a program; None if timing needs no question."""
    timing = next((timing for timing in document.timings if timing.program == program), None)
    warm = timing.warm.median if timing is not None and timing.warm is not None else None
    eager = timing.eager.median if timing is not None and timing.eager is not None else None
    return question(document.programs[program].name, sources.observed(program), warm, eager)


def warm_document(warm: Warm | None) -> WarmTime | None:
    """Convert the measured times of a warm call to the document's `WarmTime`; None if nothing was measured."""
    if warm is None:
        return None
    return WarmTime(
        median=warm.median,
        minimum=warm.minimum,
        lower=warm.lower,
        upper=warm.upper,
        runs=warm.runs,
        dispatch=warm.dispatch,
        batch=warm.batch,
    )
