"""Merges equal notes on one line into a single note with a count."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...document.types.document import Note

#: A merged note keeps the raw facts of at most this many notes.
_DETAILS = 10


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
        detail="\n".join(details[:_DETAILS]) or None,
    )
