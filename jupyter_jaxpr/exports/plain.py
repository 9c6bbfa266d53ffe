"""A document in, two lines of plain text out: what a terminal or a text export shows."""

from __future__ import annotations

import re

from ..quantities import NO_BREAK
from ..snapshot.document import Snapshot
from . import summary

# A name may hold anything, also what steers a terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def plain(document: Snapshot) -> str:
    """The signature and the counts of the program in focus, a line each; or the message where there is none."""
    program = summary.shown_first(document)
    if program is None:
        return _line(document.message or "This run made no program.")
    counts = summary.counts(document, program, others=len(document.programs) - 1)
    return f"{_line(str(summary.signature(program)))}\n{_line(counts)}"


def _line(text: str) -> str:
    return _CONTROL.sub(" ", text).replace(NO_BREAK, " ")
