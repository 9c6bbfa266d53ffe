"""Writes the notes on large arrays that a program captured as constants."""

from __future__ import annotations

from collections.abc import Sequence

from ...document.types.document import Note, Program
from ...program.jaxpr.captured_constants import Captured
from ...program.jaxpr.scope_columns import ScopeColumns
from ...program.jaxpr.walk import Walk
from ...quantities import size
from .places_and_cures_of_notes import inside, words_for_programs

#: A captured constant of more bytes than this gets a note.
CAPTURED_ABOVE = 1_000


def captured_notes(walk: Walk, programs: Sequence[Program]) -> list[Note]:
    """Return the notes on large arrays that are constants of programs, one note for each array."""
    captures: dict[tuple[int, int], tuple[ScopeColumns, Captured, list[int]]] = {}
    for index, program in enumerate(programs):
        visited: set[int] = set()
        for number in inside(walk, program.scope):
            columns = walk.scopes[number]
            for captured in columns.captured:
                if captured.bytes <= CAPTURED_ABOVE or captured.identity in visited:
                    continue
                visited.add(captured.identity)
                key = (captured.identity, _first_use(walk, columns, captured.operand))
                captures.setdefault(key, (columns, captured, []))[2].append(index)
    return [
        _captured_note(walk, columns, captured, frame, among, programs)
        for (_, frame), (columns, captured, among) in captures.items()
    ]


def _captured_note(
    walk: Walk, columns: ScopeColumns, captured: Captured, frame: int, among: list[int], programs: Sequence[Program]
) -> Note:
    type_of_array = walk.avals[columns.variable_avals[captured.operand]].text
    programs_text = words_for_programs(among, programs) if len(among) > 1 else "the program"
    return Note(
        kind="captured_constant",
        text=(
            f"The function reads an array of {size(captured.bytes)} ({type_of_array}) that is not an argument, so the "
            f"array is a constant of {programs_text}. After an assignment to the array's variable, calls that reuse "
            "the program still compute with the old array."
        ),
        cure="Pass the array as an argument.",
        detail=None,
        program=among[0] if len(among) == 1 else -1,
        frame=frame,
        bytes=captured.bytes,
    )


def _first_use(walk: Walk, columns: ScopeColumns, operand: int) -> int:
    """Return the user's frame of the first equation that reads a variable and has a frame; -1 if there is none."""
    for operands, stack in zip(columns.operands, columns.stack, strict=True):
        if operand in operands and stack >= 0:
            frames = walk.positions.stacks[stack][0]
            if frames:
                return frames[0]
    return -1
