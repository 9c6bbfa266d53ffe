"""Reads the notes of a document, with their cures, as scripts read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..types import document as schema
from ..types.cures import Cure as DocumentCure


@dataclass(frozen=True)
class Edit:
    """A change of the user's text.

    Attributes:
        file: Of the text; a cell has the name that IPython gives it.
        line: Where the replaced text begins, from 1.
        column: Likewise, from 0, in UTF-16 code units.
        end_line: Where the replaced text ends.
        end_column: Likewise, exclusive.
        text: What stands there afterwards.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Cure:
    """One way out.

    Attributes:
        name: What it uses, such as ``jnp.where``.
        level: ``applies``: the edits, made together, end what the note says. ``choice``: first replace the names in
            capitals. ``advice``: a sentence.
        text: What it does and what it costs.
        code: What to write; None where it cannot be told.
        edits: The changes of the text; empty for advice.
    """

    name: str
    level: Literal["applies", "choice", "advice"]
    text: str
    code: str | None
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Note:
    """Something a person should know about a program.

    Attributes:
        kind: Such as ``captured_constant`` or ``printed_while_tracing``.
        line: The line of the user's code it is about, from 1; None where there is none.
        text: What was seen.
        cure: What to do about it; None where there is nothing to do.
        detail: The raw fact, such as the text that was printed.
        bytes: A size, where the note is about one.
        repetitions: Of an ``unrolled_loop`` or ``short_loop``: how often Python ran it, at least; None for
            others.
        carried: Of such a loop: each turn needs the one before; None for others.
        code: What to write instead, in the user's own names; None where there is no sketch.
        share: Of such a loop: its part of the program's equations, from 0 to 1; None for others.
        price: What was measured that belongs to it, as sentences.
        title: What happened, in a few words; None for most kinds.
        cures: Ways out to choose from, the one that fits most often first.
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
    """The notes of a document, in its order."""
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
