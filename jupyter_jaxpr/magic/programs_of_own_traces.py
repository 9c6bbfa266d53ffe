"""Adds an own trace to an observation: its program, the text it printed, or the error that it raised."""

from __future__ import annotations

from ..explain.errors.cell_error import explained
from ..observe.observation import Finding, Observation
from ..observe.own_traces.trace_of_call import OwnTrace
from ..plain_text import error_lines
from .sentences_on_traced_programs import RAN_BUT_NOT_TRACEABLE, trace_error_sentence


def add_program(observation: Observation, trace: OwnTrace, focus: bool) -> None:
    """Add the program of an own trace to an observation.

    The program comes into focus if `focus` is True, or if it ran.
    """
    # JAX traced the body of a construct in the cell's run, too, and the call of `print` in the body has a finding
    found = {
        (finding.place.file, finding.place.line)
        for finding in observation.findings
        if finding.kind == "frozen_call" and finding.place is not None
    }
    observation.printed.extend(
        text for text in trace.printed if text.place is None or (text.place.file, text.place.line) not in found
    )
    if trace.function is None or trace.program is None:
        return
    for function in observation.functions:
        for program in function.programs:
            if program.jaxpr is trace.program.jaxpr:  # the cell ran this program, so the observation already has it
                observation.focus = program
                return
    namesakes = [function for function in observation.functions if function.name == trace.function.name]
    if namesakes and namesakes[0].definition == trace.function.definition and not namesakes[0].programs:
        namesakes[0].transform = trace.function.transform
        namesakes[0].programs.append(trace.program)
    else:
        observation.functions.append(trace.function)
    if focus:
        observation.focus = trace.program


def program_or_message(observation: Observation, trace: OwnTrace, name: str) -> str | None:
    """Add an own trace of the last call to an observation; return a message if the trace raised."""
    add_program(observation, trace, focus=True)
    if trace.error is not None:
        explanation = explained(trace.error, name)
        text = RAN_BUT_NOT_TRACEABLE.format(name=name, why=trace_error_sentence(name, trace.error))
        observation.findings.append(
            Finding(
                "untraceable",
                f"{text} {explanation.text}".rstrip(),
                cure="To turn off the trace of the cell's last call, write %%jaxpr --no-trace.",
                detail=error_lines(trace.error),
                function=name,
                place=explanation.place,
                title=explanation.title,
                cures=explanation.cures,
            )
        )
        return text
    return None
