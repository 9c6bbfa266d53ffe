"""Finds, for notes, the code edits that would carry out their cures; the edits are tried later, when the panel asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ...document.types.cures import Cure
from ...document.types.document import Note
from ...explain.loops.kinds_of_python_loops import frame_span, loops_of
from ...explain.note_cures.cures_of_notes import sketch_of
from ...explain.note_cures.expressions_at_positions import Sketch, Text
from ...jax.silent_type_and_value_changes import PromotedCarry
from ...program.jaxpr.walk import Walk


class FramedNote(NamedTuple):
    """A note with the frames and the carry that the edit of its cure needs.

    Attributes:
        frames: The frames of all expressions of the note, in the order of the text; empty if no edit can cure it.
        carry: The carry whose type the edit changes; None if the note is about no carry.
    """

    note: Note
    frames: tuple[int, ...]
    carry: PromotedCarry | None = None


class SketchedNote(NamedTuple):
    """A note together with the edit that may carry out its cure."""

    note: Note
    sketch: Sketch


class NoteSketches:
    """Finds the edit that may carry out the cure of a note, and keeps it for the trial.

    Attributes:
        found: The notes with an edit, in the form that the document has, and their edits.
    """

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._texts: dict[int, Text | None] = {}
        self.found: list[SketchedNote] = []

    def of(self, notes: Sequence[FramedNote]) -> list[Note]:
        """Return the notes; if an edit can be made from the source text, the note shows the edited lines as advice."""
        return [self._sketched(note) for note in notes]

    def of_notes(self, notes: Sequence[Note], carry: PromotedCarry | None = None) -> list[Note]:
        """Return notes on one expression each; a note whose text allows an edit gets the edited lines as advice."""
        return self.of([FramedNote(note, (note.frame,), carry) for note in notes])

    def _sketched(self, framed: FramedNote) -> Note:
        note, frames, carry = framed
        if note.cures or not frames or min(frames) < 0:
            return note
        rows = [self._walk.positions.frames[frame] for frame in frames]
        text = self._text(rows[0][0])
        if text is None or len({row[0] for row in rows}) > 1:
            return note
        spans = [frame_span(row, text.lines) for row in rows]
        sketch = sketch_of(note.kind, carry, text, spans)
        if sketch is None:
            return note
        cure = Cure(name=sketch.cure.name, code=sketch.cure.code, text=sketch.cure.text)
        sketched = msgspec.structs.replace(note, cures=[cure])
        self.found.append(SketchedNote(sketched, sketch))
        return sketched

    def _text(self, file: int) -> Text | None:
        if file not in self._texts:
            source = self._walk.positions.files[file]
            loops = None if source.kind == "library" else loops_of(source)
            self._texts[file] = None if loops is None else Text(loops, source.name)
        return self._texts[file]
