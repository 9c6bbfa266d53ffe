"""Defines a row of the table of faults."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fault:
    """One row of the table of faults.

    Attributes:
        name: The name of the fault.
        cell: The cell under the magic.
        sees: A part of what the user sees: of the value, of the printed text, or of the error.
        panel: The texts of the panel in order: the programs' titles, then the message and the relevant notes.
        before: Plain cells that run first, separated by `# next cell`.
        after: A plain cell that repairs an intended change of the cell.
        slow: True if the row runs only in `nox -s full`.
        only: The place in which the row runs.
        needs: The package that the row needs; without it, the row is skipped.
    """

    name: str
    cell: str
    sees: str
    panel: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    slow: bool = False
    only: tuple[str, ...] = field(default=("shell", "kernel"))
    needs: str | None = None
