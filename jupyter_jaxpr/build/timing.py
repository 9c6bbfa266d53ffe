"""The seconds that a program took, first and again, in; the document's `ProgramTiming` with its sentence out."""

from __future__ import annotations

import math

from ..document.types.document import Note, Snapshot
from ..document.types.timing import ProgramTiming, WarmTime
from ..jax.effects import program_effects
from ..measure.times.program_timing import ProgramTimes, question, time_program
from ..measure.times.repeated_calls import Warm
from ..observe.calls.call_values import ValuesGone
from ..observe.kernel import observer
from ..observe.observation import StageTimes
from ..quantities import NO_BREAK, duration
from .live_sources import Sources

_NAME_ONE = (
    "Call one in the cell, or name the call of any function after the option: %%jaxpr --time f(x), with f and x in the "
    "place of yours."
)
_ASK = "“Run it again” in the Time view asks first."


def timing_document(program: int, stages: StageTimes | None, times: ProgramTimes) -> ProgramTiming:
    """Say what was measured in the document's terms.

    Args:
        program: Index of the program.
        stages: Seconds of the call that made it; None where it is not known.
        times: Of the calls after it.
    """
    warm, eager = times.warm, times.eager
    return ProgramTiming(
        program=program,
        warm=None if warm is None else warm_document(warm),
        eager=None if eager is None else warm_document(eager),
        ratio=(eager.lower / warm.upper, eager.upper / warm.lower) if warm is not None and eager is not None else None,
        pays_after=_pays_after(stages, warm, eager),
        sentence=_sentence(stages, warm, eager),
        notes=list(times.notes),
        stopped=times.stopped,
    )


def warm_document(warm: Warm) -> WarmTime:
    """Seconds of one warm call in the document's terms."""
    return WarmTime(
        median=warm.median,
        minimum=warm.minimum,
        lower=warm.lower,
        upper=warm.upper,
        runs=warm.runs,
        dispatch=warm.dispatch,
        batch=warm.batch,
    )


def _pays_after(stages: StageTimes | None, warm: Warm | None, eager: Warm | None) -> int | None:
    """The first number of calls that take no longer, the first one included, than as many calls without jit."""
    if stages is None or stages.total is None or warm is None or eager is None or eager.median <= warm.median:
        return None
    whole = stages.total + (warm.median - (stages.first_run or 0.0) if _returned_early(stages, warm) else 0.0)
    return max(1, math.ceil((whole - warm.median) / (eager.median - warm.median)))


def _returned_early(stages: StageTimes, warm: Warm | None) -> bool:
    """Whether the first call surely returned before its work was done: nobody waited for it."""
    return warm is not None and stages.first_run is not None and stages.first_run < warm.median / 2


def _sentence(stages: StageTimes | None, warm: Warm | None, eager: Warm | None) -> str:
    parts = []
    first = _first(stages, warm)
    if first is not None:
        parts.append(f"first {first}")
    if warm is not None:
        parts.append(f"then {duration(warm.median)}" if first is not None else f"{duration(warm.median)} a warm call")
    text = ", ".join(parts)
    against = _against(warm, eager)
    if against is not None:
        text = f"{text}; {against}" if text else against
    return f"{text[0].upper()}{text[1:]}." if text else "Nothing was timed."


def _first(stages: StageTimes | None, warm: Warm | None) -> str | None:
    """Such as 214 ms (trace 12, lower 9, compile 190): all in one unit."""
    if stages is None:
        return None
    named = [
        ("trace", stages.trace),
        ("lower", stages.lower),
        ("compile from disk" if stages.from_disk else "compile", stages.compile),
    ]
    known = [(name, seconds) for name, seconds in named if seconds is not None]
    if stages.total is None or not known:
        return None
    whole = duration(stages.total)
    unit = whole.rpartition(NO_BREAK)[2]
    if _returned_early(stages, warm):
        whole += " until it returned"
    return f"{whole} ({', '.join(f'{name} {_in_unit(seconds, unit)}' for name, seconds in known)})"


def _in_unit(seconds: float, unit: str) -> str:
    """Two figures below 100, whole from there on, without the unit."""
    value = seconds * {"s": 1.0, "ms": 1e3, "µs": 1e6}[unit]
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.2g}"


def _against(warm: Warm | None, eager: Warm | None) -> str | None:
    if eager is None:
        return None
    if warm is None:
        return f"{duration(eager.median)} without jit"
    faster = eager.median / warm.median
    if faster >= 1:
        return f"{_figures(faster)}{NO_BREAK}x{NO_BREAK}eager"
    return f"eager is {_figures(1 / faster)}{NO_BREAK}x as fast"


def _figures(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.3g}"


# --- with the cell -----------------------------------------------------------------------------------------


def time_focus(sources: Sources) -> Snapshot:
    """Time the program in focus; what would need a question is left to the panel, and a note says so.

    Args:
        sources: Of the run.

    Returns:
        The document with the timing, or with the note.
    """
    document = sources.document
    if document.focus < 0:
        return sources.add_note(_note("Nothing was timed: no call of a jitted function was seen.", _NAME_ONE))
    program, observed = document.programs[document.focus], sources.observed(document.focus)
    effects = program_effects(observed.jaxpr)
    asked = question(program.name, observed)
    if effects:
        why = f"It has effects ({', '.join(effects)}), which would happen again each time. {_ASK}"
    elif asked is not None:
        assert observed.stages is not None
        why = f"One call takes {duration(observed.stages.first_run)}. {_ASK}"
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
    """What to ask before a program is timed, by what was measured of it before; None where there is nothing to ask."""
    known = next((each for each in document.timings if each.program == program), None)
    warm = known.warm.median if known is not None and known.warm is not None else None
    eager = known.eager.median if known is not None and known.eager is not None else None
    return question(document.programs[program].name, sources.observed(program), warm, eager)
