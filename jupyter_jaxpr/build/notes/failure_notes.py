"""Writes the notes on failures of this extension itself."""

from __future__ import annotations

from collections.abc import Sequence

from ...document.types.document import Note
from ...observe.report_to_developers import (
    REPORT,
    REPORT_WITH_DETAILS,
)


def failure_notes(failures: Sequence[str]) -> list[Note]:
    """Return the notes on errors of this extension itself, with their tracebacks."""
    return [
        Note(
            kind="failed",
            text="jupyter_jaxpr failed on a part of this run; the cell itself ran as always.",
            cure=REPORT_WITH_DETAILS,
            detail=failure,
            program=-1,
            frame=-1,
            bytes=None,
        )
        for failure in failures
    ]


def undescribed_note(part_of_run: str, could_not_be_described: str, detail: str | None = None) -> Note:
    """Return a note which says that a part of the run could not be described.

    Args:
        part_of_run: The name of the part, which begins the sentence.
        could_not_be_described: The rest of the sentence: that the part could not be described, and the reason.
        detail: The traceback.
    """
    return Note(
        kind="failed",
        text=f"{part_of_run} {could_not_be_described}. The rest of the run is complete; the cell itself ran as always.",
        cure=REPORT_WITH_DETAILS if detail else REPORT,
        detail=detail,
        program=-1,
        frame=-1,
        bytes=None,
    )
