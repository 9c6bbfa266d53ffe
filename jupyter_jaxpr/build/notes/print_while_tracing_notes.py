"""Writes the notes on text that Python printed while JAX traced functions."""

from __future__ import annotations

from collections.abc import Sequence

from ...document.types.document import Note, Program
from ...observe.observation import (
    Printed,
)
from ...program.jaxpr.walk import Walk
from .places_and_cures_of_notes import frame_of, program_of


def printed_notes(walk: Walk, printed: Sequence[Printed], programs: Sequence[Program]) -> list[Note]:
    """Return the notes on text that Python printed while JAX traced functions."""
    notes = []
    for text in printed:
        sentence, cure = (_PRINTED_TRACERS, _PRINT) if shows_tracers(text) else (_PRINTED, _PRINT_OF_ARGUMENTS)
        notes.append(
            Note(
                kind="printed_while_tracing",
                text=sentence.format(function=text.function),
                cure=cure.format(function=text.function),
                detail=text.text,
                program=program_of(text.function, programs),
                frame=frame_of(walk, text.place),
                bytes=None,
            )
        )
    return notes


def shows_tracers(printed: Printed) -> bool:
    """Return whether a printed text has a tracer in place of a value.

    Other values, such as a time or a shape, stay as they were at the trace, also where `jax.debug.print` prints them.
    """
    return "Tracer" in printed.text or "Traced<" in printed.text


_PRINTED_TRACERS = (
    "{function} printed while JAX traced {function}. Python's print runs once for each trace, not for each call, and "
    "shows tracers in place of values."
)


_PRINTED = "{function} printed while JAX traced {function}. Python's print runs once for each trace, not for each call."


_PRINT = "To print values at every call, use jax.debug.print."


_PRINT_OF_ARGUMENTS = (
    "To print at every call, use jax.debug.print for values that {function} computes from its arguments. Other values "
    "stay as they were at the trace."
)
