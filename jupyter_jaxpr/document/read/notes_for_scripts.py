"""Gives scripts readable objects for the notes of a document and their cures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..types import document as schema
from ..types.cures import Cure as DocumentCure


@dataclass(frozen=True)
class Edit:
    """A change of the user's source.

    Attributes:
        file: The file to change; for a cell, the file name that IPython gives to it.
        line: The first line of the replaced text, from 1.
        column: The first column of the replaced text, from 0, in UTF-16 code units.
        end_line: The last line of the replaced text.
        end_column: The end column of the replaced text, exclusive.
        text: The new text.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Cure:
    """One of several cures of a note.

    Attributes:
        name: What the cure uses, such as ``jnp.where``.
        level: ``applies``: all edits together remove the cause of the note. ``choice``: first replace the names in
            capitals. ``advice``: a sentence.
        text: The effect and the cost of the cure.
        code: The code to write; None if unknown.
        edits: The changes of the user's source; empty for advice.
    """

    name: str
    level: Literal["applies", "choice", "advice"]
    text: str
    code: str | None
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Note:
    """A note: a fact about the user's program or code that the user should know.

    Attributes:
        kind: The kind of the note, such as ``captured_constant`` or ``printed_while_tracing``.
        line: The line of the user's code with the cause, from 1; None if there is no such line.
        text: The fact, as a sentence.
        cure: What the user can do; None if there is nothing to do.
        detail: The raw fact, such as the text that was printed.
        bytes: The size that the note is about; None for other notes.
        repetitions: For an ``unrolled_loop`` or ``short_loop``: the smallest number of iterations that Python ran; None
            for other notes.
        carried: For such a loop: True if each iteration uses a value of the previous one; None for other notes.
        code: The code to write instead, in the user's own names; None if there is no proposal.
        share: For such a loop: its share of the program's equations, from 0 to 1; None for other notes.
        price: Sentences with measured numbers, such as compile times.
        title: The fact in a few words; None for most kinds.
        cures: Several cures to choose from, the most fitting first.
    """

    kind: str
    line: int | None
    text: str
    cure: str | None
    detail: str | None
    bytes: int | None
    repetitions: int | None = None
    carried: bool | None = None
    code: str | None = None
    share: float | None = None
    price: tuple[str, ...] = ()
    title: str | None = None
    cures: tuple[Cure, ...] = ()


def notes_of(document: schema.Snapshot) -> tuple[Note, ...]:
    """Return the notes of a document, in the document's order."""
    frames = document.frames
    return tuple(
        Note(
            kind=note.kind,
            line=frames[note.frame].line if note.frame >= 0 else None,
            text=note.text,
            cure=note.cure,
            detail=note.detail,
            bytes=note.bytes,
            repetitions=note.repetitions,
            carried=note.carried,
            code=note.code,
            share=note.share,
            price=tuple(note.price),
            title=note.title,
            cures=tuple(_cure(document, cure) for cure in note.cures),
        )
        for note in document.notes
    )


def _cure(document: schema.Snapshot, cure: DocumentCure) -> Cure:
    places = [(document.frames[edit.frame], edit.text) for edit in cure.edits]
    edits = [
        Edit(document.files[frame.file].path, frame.line, frame.column, frame.end_line, frame.end_column, text)
        for frame, text in places
    ]
    return Cure(cure.name, cure.level, cure.text, cure.code, tuple(edits))
