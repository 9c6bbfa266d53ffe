"""Times the program that the panel shows, right after its cell, or adds a note that says why nothing was timed."""

from __future__ import annotations

from ...document.types.document import Note, Snapshot
from ...jax.effect_names import program_effects
from ...measure.times.program_timing import time_program
from ...measure.times.timing_questions_and_remarks import question
from ...observe.calls.held_or_gone_values import ValuesGone
from ...observe.process_observer import observer
from ...quantities import duration
from ..sources_of_requests import Sources
from .times_of_calls import timing_document

_NAME_ONE = "Call a jitted function in the cell, or write a call after the option --time, such as %%jaxpr --time f(x)."
_ASK = "To time {name} anyway, press “Time the calls” in the Time tab."


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
