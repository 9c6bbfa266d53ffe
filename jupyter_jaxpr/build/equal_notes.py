"""Merges equal notes of one line into one note with a count."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..document.types.document import Note

#: Raw facts of so many equal notes are kept.
_DETAILS = 10


def without_repeats(notes: Sequence[Note]) -> list[Note]:
    """Notes that differ in their raw facts alone become the first of them, with the raw facts of all."""
    alike: dict[bytes, list[Note]] = {}
    for note in notes:
        alike.setdefault(msgspec.json.encode(msgspec.structs.replace(note, detail=None)), []).append(note)
    return [same[0] if len(same) == 1 else _one_of(same) for same in alike.values()]


def _one_of(same: Sequence[Note]) -> Note:
    details = list(dict.fromkeys(note.detail.rstrip("\n") for note in same if note.detail))
    return msgspec.structs.replace(
        same[0],
        text=f"{same[0].text} This happened {len(same)} times in this run.",
        detail="\n".join(details[:_DETAILS]) or None,
    )
