"""Prints measurements as a table for people and as JSON for machines."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One budget, and the figure of this run.

    Attributes:
        what: The measured quantity and the program.
        budget: The text of the budget; empty for a figure without a budget.
        measured: The text of the figure.
        ratio: Our work against JAX's own work in the same run; None where the budget is no ratio.
        ok: Whether the budget is met; None without a budget.
        figures: All figures, in seconds and bytes.
    """

    what: str
    budget: str
    measured: str
    ratio: float | None
    ok: bool | None
    figures: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the row in its JSON form."""
        return asdict(self)


def table(rows: list[Row]) -> str:
    """Return the rows as Markdown for a README."""
    head = ("what", "budget", "measured", "ratio", "")
    verdicts = {True: "ok", False: "OVER", None: ""}
    body = [
        (row.what, row.budget, row.measured, "" if row.ratio is None else f"{row.ratio:.3g} x", verdicts[row.ok])
        for row in rows
    ]
    widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
    lines = [head, tuple("-" * width for width in widths), *body]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def milliseconds(seconds: float) -> str:
    """Return a text such as 3.1 ms."""
    return f"{seconds * 1e3:.3g} ms"


def microseconds(seconds: float) -> str:
    """Return a text such as 3.1 us."""
    return f"{seconds * 1e6:.3g} us"
