"""Gives, for each line of the cell, the numbers of calls, hits and compiles."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..document.types.ledger import LedgerLine
from ..observe.observation import LineReading


def counts_of_lines(readings: Sequence[LineReading], cell_files: Collection[str]) -> list[LedgerLine]:
    """Return the numbers of calls, hits and compiles for each line of the cell; lines of other files are left out."""
    lines: dict[int, LedgerLine] = {}
    for reading in readings:
        if reading.file in cell_files:
            line = LedgerLine(
                line=reading.line,
                calls=reading.calls,
                calls_exact=reading.exact,
                hits=reading.hits,
                compiles=reading.compiles,
            )
            # One line of the cell can be counted under two file names, because a magic such as %%capture compiles the
            # cell's code under another file name.
            before = lines.get(reading.line)
            lines[reading.line] = line if before is None else _together(before, line)
    return [lines[number] for number in sorted(lines)]


def _together(first: LedgerLine, second: LedgerLine) -> LedgerLine:
    both_known = first.calls is not None and second.calls is not None
    return LedgerLine(
        line=first.line,
        calls=(first.calls or 0) + (second.calls or 0) if both_known else None,
        calls_exact=first.calls_exact and second.calls_exact,
        hits=(first.hits or 0) + (second.hits or 0) if both_known else None,
        compiles=first.compiles + second.compiles,
    )
