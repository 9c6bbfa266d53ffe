"""Builds the document's `ProgramTiming`, with its sentence, from the measured times of the first and of later calls."""

from __future__ import annotations

import math

from ..document.types.document import Note, Snapshot
from ..document.types.timing import ProgramTiming
from ..jax.effects import program_effects
from ..measure.times.program_timing import ProgramTimes, question, time_program
from ..measure.times.repeated_calls import Warm
from ..measure.times.slower_call import FEWEST, is_slower
from ..observe.calls.call_values import ValuesGone
from ..observe.observation import StageTimes
from ..observe.process_observer import observer
from ..quantities import duration, factor
from .sources_of_requests import Sources
from .warm_time import warm_document

_NAME_ONE = "Call a jitted function in the cell, or write a call after the option --time, such as %%jaxpr --time f(x)."
_COMPILES_AGAIN = (
    "A call without jit takes {took}. For about {compiling} of that time, JAX traces and compiles again in each call. "
    "The usual cause is a function, such as the body of a scan, that each call defines anew. Define the function "
    "once, outside of the call."
)
_TOO_FEW = (
    f"Fewer than {FEWEST} warm calls, or fewer than {FEWEST} calls without jit, were timed: too few to show a "
    "difference."
)
_ASK = "To time {name} anyway, press “Time the calls” in the Time tab."


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
            pays_after = _pays_after(stages, warm, eager)
        if saves or is_slower(warm.samples, eager.samples):
            ratio = eager.lower / warm.upper, eager.upper / warm.lower
    return ProgramTiming(
        program=program,
        warm=warm_document(warm),
        eager=warm_document(eager),
        ratio=ratio,
        pays_after=pays_after,
        sentence=_sentences(stages, warm, eager, times.compiling, ratio, pays_after),
        notes=list(times.notes),
        stopped=times.stopped,
    )


def _pays_after(stages: StageTimes | None, warm: Warm, eager: Warm) -> int | None:
    """Return the number of calls, the first call included, after which jit has saved time.

    A warm call must be faster than an eager call. None if the seconds of the first call's stages are unknown.
    """
    if stages is None or stages.total is None:
        return None
    first_seconds = stages.total + (warm.median - (stages.first_run or 0.0) if _returned_early(stages, warm) else 0.0)
    return max(1, math.ceil((first_seconds - warm.median) / (eager.median - warm.median)))


def _returned_early(stages: StageTimes, warm: Warm | None) -> bool:
    """Return whether the first call certainly returned before its computation ended, since JAX does not wait for it."""
    return warm is not None and stages.first_run is not None and stages.first_run < warm.median / 2


def _sentences(
    stages: StageTimes | None,
    warm: Warm | None,
    eager: Warm | None,
    compiling: float,
    ratio: tuple[float, float] | None,
    pays_after: int | None,
) -> str:
    first = _first(stages, warm)
    sentences = [first] if first is not None else []
    if warm is not None:
        sentences.append(f"A warm call takes {duration(warm.median)}.")
    if eager is not None and compiling:
        sentences.append(_COMPILES_AGAIN.format(took=duration(eager.median), compiling=duration(compiling)))
    elif eager is not None and ratio is None:
        sentences.append(f"A call without jit takes {duration(eager.median)}.")
        if warm is not None:
            is_too_few = min(len(warm.samples), len(eager.samples)) < FEWEST
            sentences.append(_TOO_FEW if is_too_few else "The times with and without jit show no difference.")
    elif eager is not None and ratio is not None:
        low, high = map(factor, ratio)
        times = low if low == high else f"{low} to {high}"
        sentences.append(f"A call without jit takes {duration(eager.median)}, {times} times as long as a warm call.")
        if first is not None:
            sentences.append(_breaks_even(pays_after))
    return " ".join(sentences) or "Nothing was timed."


def _breaks_even(pays_after: int | None) -> str:
    if pays_after is None:
        return "jit saves no time: a call without jit is not slower than a warm call."
    if pays_after == 1:
        return "jit saves time from the first call on."
    return f"With the first call included, jit saves time from {pays_after:,} calls on."


def _first(stages: StageTimes | None, warm: Warm | None) -> str | None:
    """Return a sentence such as: The first call took 214 ms (trace 12 ms, lower 9.0 ms, compile 190 ms)."""
    if stages is None or stages.total is None:
        return None
    compiling = "from disk" if stages.from_disk else "compile"
    named = (("trace", stages.trace), ("lower", stages.lower), (compiling, stages.compile))
    stage_texts = ", ".join(f"{name} {duration(seconds)}" for name, seconds in named if seconds is not None)
    first_text = f"{duration(stages.total)} ({stage_texts})" if stage_texts else duration(stages.total)
    if _returned_early(stages, warm):
        return f"The first call returned after {first_text}, before its work was done."
    return f"The first call took {first_text}."


# --- timing the shown program right after the cell ---------------------------------------------------------


def time_focus(sources: Sources) -> Snapshot:
    """Time the program that the panel shows; if the user must be asked first, only add a note that says so.

    Args:
        sources: The live sources of the run.

    Returns:
        The document with the timing, or with the note.
    """
    document = sources.document
    if document.focus < 0:
        return sources.add_note(_note("Nothing was timed: no call of a jitted function was recorded.", _NAME_ONE))
    program, observed = document.programs[document.focus], sources.observed(document.focus)
    effects = program_effects(observed.jaxpr)
    confirmation = question(program.name, observed)
    ask = _ASK.format(name=program.name)
    if effects:
        why = f"{program.name} has effects ({', '.join(effects)}), and each timed call would repeat the effects. {ask}"
    elif confirmation is not None:
        assert observed.stages is not None
        why = f"One call takes {duration(observed.stages.first_run)}. {ask}"
    else:
        try:
            times = time_program(observer(), program.name, observed)
        except ValuesGone as error:
            why = str(error)
        else:
            return sources.merge("timings", timing_document(document.focus, observed.stages, times))
    return sources.add_note(_note(f"{program.name} was not timed.", why, document.focus, program.definition))


def _note(text: str, cure: str, program: int = -1, frame: int = -1) -> Note:
    return Note(kind="time", text=text, cure=cure, detail=None, program=program, frame=frame, bytes=None)


def asks_before(document: Snapshot, sources: Sources, program: int) -> str | None:
    """Return the question that the panel asks before it times a program; None if timing needs no question."""
    timing = next((timing for timing in document.timings if timing.program == program), None)
    warm = timing.warm.median if timing is not None and timing.warm is not None else None
    eager = timing.eager.median if timing is not None and timing.eager is not None else None
    return question(document.programs[program].name, sources.observed(program), warm, eager)
