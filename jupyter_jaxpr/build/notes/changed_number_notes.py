"""Writes notes on numbers in the user's code that JAX changes, because the dtype of the array does not hold them."""

from __future__ import annotations

import ast
import linecache
import re
import traceback
from collections.abc import Sequence

from ...document.types.document import Note, Program
from ...explain.notes.numbers_changed_by_dtype import changed_number_texts
from ...interruptions import not_of_a_signal
from ...observe.observation import Finding
from ...program.jaxpr.walk import Walk
from ...program.numbers_that_do_not_fit import numbers_that_do_not_fit
from .places_and_cures_of_notes import frame_of, inside, user_frame


def number_notes(
    walk: Walk, programs: Sequence[Program], findings: Sequence[Finding], failures: list[str]
) -> list[Note]:
    """Return the notes on numbers that do not fit, one for each line, except on lines with a finding of this kind.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        programs: The programs of the document.
        findings: The findings of the run.
        failures: Receives the traceback if a program cannot be checked; the other programs are still checked.
    """
    rows = walk.positions.frames
    places = [finding.place for finding in findings if finding.kind == "changed_value" and finding.place is not None]
    told = {_line(rows[frame_of(walk, place)]) for place in places}
    notes = []
    for index, program in enumerate(programs):
        try:
            for found in numbers_that_do_not_fit(walk, inside(walk, program.scope)):
                frame = user_frame(walk, found.scope, found.equation)
                if frame < 0 or _line(rows[frame]) in told or not _writes(walk, frame, found.number.value):
                    continue
                told.add(_line(rows[frame]))
                title, text, cure = changed_number_texts(found.number)
                notes.append(
                    Note(
                        kind="changed_value",
                        text=text,
                        cure=cure,
                        detail=None,
                        program=index,
                        frame=frame,
                        bytes=None,
                        title=title,
                    )
                )
        except not_of_a_signal(Exception):
            failures.append(traceback.format_exc())
    return notes


def _line(frame: Sequence[int]) -> tuple[int, int]:
    return frame[0], frame[2]


def _writes(walk: Walk, frame: int, number: str) -> bool:
    """Return whether the user's expression has this number: functions of JAX have numbers of their own."""
    file, _, line, column, end_line, end_column = walk.positions.frames[frame]
    if column < 0 or end_line != line:
        return False
    text = linecache.getline(walk.positions.files[file].name, line)[column:end_column]
    if re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.])", text) is not None:
        return True
    # the user may write the number in another way than `repr`, as in 1e6 or 0xFFFF
    return any(_equals(written, number) for written in _NUMBER.findall(text))


_NUMBER = re.compile(r"(?<![\w.])-?(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?)(?![\w.])")


def _equals(written: str, number: str) -> bool:
    """Return whether two numbers, as written in Python, have the same value and class."""
    try:
        value, other = ast.literal_eval(written), ast.literal_eval(number)
    except not_of_a_signal(ValueError, SyntaxError):
        return False
    return type(value) is type(other) and value == other
