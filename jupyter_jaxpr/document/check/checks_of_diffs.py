"""Checks the diffs of a document."""

from __future__ import annotations

from ..types.document import Snapshot
from .checks_of_indices import amounts, index


def check_diffs(document: Snapshot) -> None:
    """Check every index and number of the diffs.

    Raises:
        Damaged: An index or a number is out of its range.
    """
    for diff in document.diffs:
        index(diff.after.program, document.programs, "diffs: program")
        amounts((diff.added, diff.removed, diff.changed, diff.moved, diff.skipped, diff.left_out), "diffs: a number")
