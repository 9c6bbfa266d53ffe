"""Converts findings, cures and edits to the structs of a note, and finds the frames that a note is about."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...document.types.cures import Cure, Edit
from ...document.types.document import Note, Program, Retrace
from ...joined_names import in_a_sentence
from ...observe.observation import Edit as FoundEdit
from ...observe.observation import (
    Finding,
    FoundCure,
    Place,
)
from ...observe.own_traces.question_before_trace import Retrace as RetraceOffer
from ...program.jaxpr.walk import Walk
from ...quantities import count


def frame_of(walk: Walk, place: Place | None) -> int:
    """Return the index of the frame for a place in the source; -1 if `place` is None."""
    if place is None:
        return -1
    if place.column >= 0:
        source = walk.positions.source_file(place.file)
        return walk.positions.frame(source, place.function, place.line, place.column, place.end_line, place.end_column)
    return walk.positions.line(place.file, place.line, place.function)


def finding_notes(walk: Walk, findings: Sequence[Finding], programs: Sequence[Program]) -> list[Note]:
    """Convert the findings of the observer to notes."""
    return [
        Note(
            kind=finding.kind,
            text=finding.text,
            cure=finding.cure,
            detail=finding.detail,
            program=program_of(finding.function, programs),
            frame=frame_of(walk, finding.place),
            bytes=None,
            title=finding.title,
            cures=[cure_document(walk, cure) for cure in finding.cures],
        )
        for finding in findings
    ]


def cure_document(walk: Walk, cure: FoundCure) -> Cure:
    """Convert a cure to its struct in the document; the frames of its edits are added to the pools of the `Walk`."""
    edits = edit_documents(walk, cure.edits)
    return Cure(name=cure.name, code=cure.code, text=cure.text, level=cure.level, edits=edits)


def edit_documents(walk: Walk, edits: Sequence[FoundEdit]) -> list[Edit]:
    """Convert edits to their structs in the document; their frames are added to the pools of the `Walk`."""
    return [Edit(frame=frame_of(walk, edit.place), text=edit.text) for edit in edits]


def retrace_document(walk: Walk, offer: RetraceOffer | None) -> Retrace | None:
    """Convert the offer to trace the last call to its struct in the document; None if there is no offer."""
    if offer is None:
        return None
    effect = offer.effect
    place = Place(effect.file, effect.line, effect.function) if effect.line else None
    return Retrace(
        call=offer.text, frame=frame_of(walk, place), question=offer.question, undoable=not offer.allows_effects
    )


def program_of(function: str | None, programs: Sequence[Program]) -> int:
    """Return the index of the first program of a function; -1 if it has no program."""
    return next((index for index, program in enumerate(programs) if program.name == function), -1)


def words_for_programs(among: list[int], programs: Sequence[Program]) -> str:
    """Return the words for some programs: `the programs of f and g`; `3 programs of f and g` if they share names."""
    names = list(dict.fromkeys(programs[index].name for index in among))
    listed = in_a_sentence(names, 5)
    return f"{count(len(among), 'program')} of {listed}" if len(names) < len(among) else f"the programs of {listed}"


def inside(walk: Walk, scope: int) -> list[int]:
    """Return a scope and all its inner scopes, each once, breadth first."""
    order = [scope]
    scopes = {scope}
    for number in order:
        for *_, child in walk.scopes[number].children:
            if child not in scopes:
                scopes.add(child)
                order.append(child)
    return order


def file_name(walk: Walk, file: str) -> str:
    """Return the words for a file in a sentence: its name, or the number of the cell."""
    source = walk.positions.source_file(file)
    if source.kind != "cell":
        return os.path.basename(file)
    return "another cell" if source.execution_count is None else f"cell [{source.execution_count}]"


def user_frame(walk: Walk, scope: int, equation: int) -> int:
    """Return the innermost user frame of an equation; -1 if it has none."""
    frames = user_frames(walk, scope, equation)
    return frames[0] if frames else -1


def user_frames(walk: Walk, scope: int, equation: int) -> Sequence[int]:
    """Return the user frames of an equation, innermost first."""
    stack = walk.scopes[scope].stack[equation]
    return walk.positions.stacks[stack][0] if stack >= 0 else []
