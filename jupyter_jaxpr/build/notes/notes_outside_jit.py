"""Writes the notes on operations outside of jit that were recorded, but whose recording the document does not show.

The document shows the recording of a cell only if it has no other program, such as that of a jitted function or of the
last call. An index out of bounds, a number that does not fit its array, or a loop that makes the same random key in
each iteration, is a mistake in any case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ...document.types.document import Naming, Note
from ...explain.loops.kinds_of_python_loops import frame_span, loops_of
from ...observe.observation import Observation, Place
from ...program.jaxpr.walk import Walk
from ...program.source.positions import CellText
from ..programs.programs_of_run import ProgramBuilder
from .changed_number_notes import number_notes
from .out_of_bounds_notes import index_notes
from .places_and_cures_of_notes import frame_of
from .repeated_seed_notes import seed_notes


def notes_on_unshown(
    observation: Observation,
    walk: Walk,
    cells: Mapping[str, CellText],
    naming: Naming,
    shown: Sequence[Note],
    failures: list[str],
) -> list[Note]:
    """Return the notes on the unshown recording of a cell, except on lines that have a note of the same kind.

    Args:
        observation: The observation of the cell.
        walk: The walk of the document's programs, whose frames the notes refer to.
        cells: The notebook's cells by file name.
        naming: The way in which this JAX names variables.
        shown: The notes on the document's programs.
        failures: Receives the traceback if the recording cannot be checked.
    """
    function = observation.unshown
    if function is None:
        return []
    # the recording is no program of the document, so it has a walk of its own
    own_walk = Walk(cells, observation.reading)
    program = ProgramBuilder(own_walk, naming, [], reading=observation.reading).program(function, function.programs[0])
    notes = [
        *index_notes(own_walk, [program], function.programs, failures),
        *number_notes(own_walk, [program], observation.findings, failures),
        *seed_notes(own_walk, [program], function.programs, failures),
    ]
    rows = walk.positions.frames
    told = {(note.kind, rows[note.frame][0], rows[note.frame][2]) for note in shown if note.frame >= 0}
    moved = [
        msgspec.structs.replace(note, program=-1, frame=frame_of(walk, _place(own_walk, note.frame))) for note in notes
    ]
    return [note for note in moved if (note.kind, rows[note.frame][0], rows[note.frame][2]) not in told]


def _place(walk: Walk, frame: int) -> Place:
    row = walk.positions.frames[frame]
    source = walk.positions.files[row[0]]
    loops = loops_of(source)
    name = walk.strings.items[row[1]]
    if loops is None or row[3] < 0:
        return Place(source.name, row[2], name)
    (line, column), (end_line, end_column) = frame_span(row, loops.lines)
    return Place(source.name, line, name, column, end_line, end_column)
