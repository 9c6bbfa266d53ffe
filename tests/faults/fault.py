"""One row of the table of faults."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fault:
    """One row.

    Attributes:
        name: The fault.
        cell: The cell under the magic.
        sees: A part of what the person sees: the value, the text or the error.
        panel: What the panel shows, in order: the programs' titles, then the message and the notes that matter.
        before: Plain cells that come first, apart by `# next cell`.
        after: A plain cell that repairs what the cell changed on purpose.
        slow: Runs in `nox -s full` only.
        only: Where the row runs.
        needs: A package without which the row is left out.
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
