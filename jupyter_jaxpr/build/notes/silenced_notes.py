"""Leaves out the notes that the user silenced, and adds one note that counts them.

The user silences a kind of notes for a line by a comment, for a cell by `--ignore`, and for a notebook by `%config
JaxprMagics.ignore`.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Collection, Sequence

from ...document.limits import Listed
from ...document.silenceable_notes import ALL_NOTES, SILENCEABLE_NOTES
from ...document.types.document import Note
from ...program.jaxpr.walk import Walk
from ...quantities import count

_COMMENT = re.compile(r"#\s*jaxpr:\s*ignore\b[ \t]*(?P<kinds>[\w, \t]*)$")
_SILENCED = (
    "{notes} is silenced, by a comment # jaxpr: ignore, by --ignore, or by %config JaxprMagics.ignore.",
    "{notes} are silenced, by a comment # jaxpr: ignore, by --ignore, or by %config JaxprMagics.ignore.",
)


def without_silenced(walk: Walk, notes: Sequence[Note], kinds: Collection[str]) -> list[Note]:
    """Return the notes that are not silenced, plus one note with the number of silenced ones.

    Args:
        walk: The `Walk` that stores the frames of the notes.
        notes: All notes of a run.
        kinds: The kinds that are silenced for the whole run.
    """
    silenced = [note for note in notes if _is_silenced(walk, note, kinds)]
    if not silenced:
        return list(notes)
    listed = [_named(walk, note) for note in silenced[: Listed.SILENCED_NOTES]]
    counted = Note(
        kind="silenced",
        text=_SILENCED[len(silenced) > 1].format(notes=count(len(silenced), "note")),
        cure=None,
        detail="\n".join(listed),
        program=-1,
        frame=-1,
        bytes=None,
    )
    return [*(note for note in notes if note not in silenced), counted]


def _is_silenced(walk: Walk, note: Note, kinds: Collection[str]) -> bool:
    if note.kind not in SILENCEABLE_NOTES:
        return False
    return bool({note.kind, ALL_NOTES} & {*kinds, *_commented(walk, note.frame)})


def _commented(walk: Walk, frame: int) -> set[str]:
    """Return the kinds of notes that a comment in the lines of a frame silences."""
    if frame < 0:
        return set()
    file, _, line, _, end_line, _ = walk.positions.frames[frame]
    source = walk.positions.files[file]
    if source.kind == "library":
        return set()
    lines = linecache.getlines(source.name) if source.cell is None else source.cell.source.split("\n")
    kinds: set[str] = set()
    for text in lines[max(line - 1, 0) : max(line, end_line)]:
        comment = _COMMENT.search(text.rstrip())
        if comment is not None:
            kinds.update(re.split(r"[\s,]+", comment["kinds"].strip()) if comment["kinds"].strip() else {ALL_NOTES})
    return kinds


def _named(walk: Walk, note: Note) -> str:
    return note.kind if note.frame < 0 else f"line {walk.positions.frames[note.frame][2]}: {note.kind}"
