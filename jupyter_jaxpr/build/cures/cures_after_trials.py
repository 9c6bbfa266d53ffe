"""Adds the cures that passed their trials to a document: at misses, at unrolled loops, and at other notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from ...document.types.document import Note, Snapshot
from ...observe.observation import Edit, Finding, FoundCure
from ...program.jaxpr.walk import Walk
from ..notes.places_and_cures_of_notes import cure_document, edit_documents, frame_of


class ExplainedNote(NamedTuple):
    """The note of the error that ended the cell, and the explanation that a request found with more time."""

    note: Note
    finding: Finding


def with_cures(
    document: Snapshot,
    walk: Walk,
    cures: Mapping[tuple[int, int], Sequence[FoundCure]],
    loops: Sequence[tuple[Note, Note, Sequence[Edit]]],
    noted: Sequence[tuple[Note, Sequence[FoundCure]]],
    of_error: ExplainedNote | None,
) -> Snapshot:
    """Return a document with the tried cures, and with the pools to which the edits of the cures add frames.

    Args:
        document: The document of the run.
        walk: The `Walk` that has read the equations of the run's programs.
        cures: (index of the function in the ledger, index of its miss) -> cures that passed.
        loops: For each loop whose rewrite was tried: its note, the note after the trial, and the edits of its rewrite.
        noted: For each other note that was tried: the note, and the cures that passed.
        of_error: The note of the error whose cures were tried; None without one.
    """
    ledger = document.ledger
    if ledger is not None:
        functions = list(ledger.functions)
        for (function, place), cures_here in cures.items():
            misses = list(functions[function].misses)
            written = [cure_document(walk, cure) for cure in cures_here]
            misses[place] = msgspec.structs.replace(misses[place], cures=written)
            functions[function] = msgspec.structs.replace(functions[function], misses=misses)
        ledger = msgspec.structs.replace(ledger, functions=functions)
    notes = list(document.notes)
    for before, after, edits in loops:
        if before in notes:
            edited = msgspec.structs.replace(after, edits=edit_documents(walk, edits))
            notes[notes.index(before)] = edited
    for before, passed in noted:
        written = [cure_document(walk, cure) for cure in passed]
        # The text of a merged note counts the notes that were merged, so the texts of the two notes may differ.
        key = (before.kind, before.frame, before.cures)
        for place, note in enumerate(notes):
            if (note.kind, note.frame, note.cures) == key:
                notes[place] = msgspec.structs.replace(note, cures=written)
    if of_error is not None and of_error.note in notes:
        finding = of_error.finding
        # Some explanations depend on a trial, so the title and the place may change with the cures.
        notes[notes.index(of_error.note)] = msgspec.structs.replace(
            of_error.note,
            title=finding.title,
            text=finding.text,
            cure=finding.cure,
            frame=frame_of(walk, finding.place),
            cures=[cure_document(walk, cure) for cure in finding.cures],
        )
    return msgspec.structs.replace(document, ledger=ledger, notes=notes)
