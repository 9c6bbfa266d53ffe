"""Finds the rows of a diff that are near a difference; long diffs and printed diffs leave out all other rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

#: A diff shows this many equal rows before and after a row that differs.
DIFF_CONTEXT = 3


class Signed(Protocol):
    """What `near_differences` reads of a row of a diff: whether the row differs."""

    @property
    def sign(self) -> str:
        """The sign of the row: `same` if the row does not differ."""
        ...


def near_differences(rows: Sequence[Signed]) -> list[bool]:
    """Return, for each row, whether it differs or is at most `DIFF_CONTEXT` rows away from a row that differs."""
    near = [False] * len(rows)
    for number, row in enumerate(rows):
        if row.sign != "same":
            for place in range(max(0, number - DIFF_CONTEXT), min(len(rows), number + DIFF_CONTEXT + 1)):
                near[place] = True
    return near
