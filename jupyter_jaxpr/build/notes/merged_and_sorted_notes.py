"""Merges equal notes on one line into a single note with a count, and sorts the notes by their lines."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...document.limits import Listed
from ...document.types.document import Note
from ...program.jaxpr.walk import Walk


def without_repeats(notes: Sequence[Note]) -> list[Note]:
    """Merge notes that differ only in their raw facts: the first one stays, with the raw facts of all."""
    alike: dict[bytes, list[Note]] = {}
    for note in notes:
        alike.setdefault(msgspec.json.encode(msgspec.structs.replace(note, detail=None)), []).append(note)
    return [equal_notes[0] if len(equal_notes) == 1 else _one_of(equal_notes) for equal_notes in alike.values()]


def _one_of(equal_notes: Sequence[Note]) -> Note:
    details = list(dict.fromkeys(note.detail.rstrip("\n") for note in equal_notes if note.detail))
    return msgspec.structs.replace(
        equal_notes[0],
        text=f"{equal_notes[0].text} This happened {len(equal_notes)} times in this run.",
        detail="\n".join(details[: Listed.DETAILS_OF_MERGED_NOTE]) or None,
    )


def in_line_order(walk: Walk, notes: Sequence[Note], cell_file: str | None) -> list[Note]:
    """Sort notes by their line in the cell; notes without a line in the cell come last, in their given order."""

    def key(note: Note) -> tuple[int, int]:
        if note.frame >= 0:
            file, _, line, *_ = walk.positions.frames[note.frame]
            if walk.positions.files[file].name == cell_file:
                return 0, line
        return 1, 0

    return sorted(notes, key=key)


def on_other_lines(walk: Walk, some_notes: Sequence[Note], others: Sequence[Note]) -> list[Note]:
    """Leave out the notes on lines with a note of `others`, so that the user never applies two cures for one fault."""
    rows = walk.positions.frames
    lines = {(rows[note.frame][0], rows[note.frame][2]) for note in others if note.frame >= 0}
    return [note for note in some_notes if (rows[note.frame][0], rows[note.frame][2]) not in lines]
