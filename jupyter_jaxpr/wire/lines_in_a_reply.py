"""Defines the parameters of requests for a part of a long text, and the limits of such a part."""

from __future__ import annotations

from typing import Annotated

from ..document.types.struct import described

LINES_AT_MOST = 5_000

FirstLine = Annotated[int, described("The index of the first requested line, from 0.")]
LineCount = Annotated[int, described(f"The number of requested lines, at most {LINES_AT_MOST:,}.")]


def lines_asked_for(first_line: int, line_count: int) -> tuple[int, int]:
    """Return (first line, number of lines) to send for a request, within the limits."""
    return max(first_line, 0), min(max(line_count, 0), LINES_AT_MOST)
