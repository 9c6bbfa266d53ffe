"""Prints a document's costs for the exports: a sentence, a row for each line, the differences from XLA, memory."""

from __future__ import annotations

from dataclasses import dataclass

from ..document.sentences.cost_tab_sentences import lead, operations_between, peak_text, place, share, work_of, xla_text
from ..document.types.cost import CostRow, Memory, ProgramCost
from ..document.types.document import Snapshot
from ..quantities import count, size

HEAD = ("line", "", "operations", "transcendentals", "bytes", "share")
# The most lines of a program that are listed; the most expensive ones are chosen.
_LINES = 40


@dataclass(frozen=True)
class CostText:
    """The cost of the program in focus as text."""

    name: str
    sentence: str
    rows: list[tuple[str, ...]]  # a row of cells for each line, with the column headings in HEAD
    left_out: str | None
    xla: str | None  # a sentence with XLA's counts and this package's counts; None if they are equal
    differences: list[str]
    memory: str | None


def cost_text(document: Snapshot) -> CostText | None:
    """Return the cost of the program in focus as text; None if the document has no cost."""
    cost = next((candidate for candidate in document.costs if candidate.program == document.focus), None)
    if cost is None or document.focus < 0:
        return None
    rows = [row for row in cost.by_line if row.flops or row.if_taken or row.transcendentals or _bytes(row)]
    dearest = sorted(rows, key=_price, reverse=True)[:_LINES]
    listed = [row for row in rows if row in dearest]
    left_out_count = len(rows) - len(listed)
    xla = cost.xla
    differ = xla is not None and xla.flops is not None and round(xla.flops) != max(cost.flops, cost.flops_most)
    return CostText(
        name=document.programs[document.focus].name,
        sentence=" ".join(lead(document, cost)),
        rows=[_row(document, cost, row) for row in listed],
        left_out=f"The table leaves out {count(left_out_count, 'cheaper line')}." if left_out_count else None,
        xla=xla_text(max(cost.flops, cost.flops_most), xla.flops) if differ and xla is not None else None,
        differences=[_difference(document, difference.text, difference.frame) for difference in xla.differences]
        if differ and xla is not None
        else [],
        memory=None if cost.memory is None else _memory(cost.memory),
    )


def _row(document: Snapshot, cost: ProgramCost, row: CostRow) -> tuple[str, ...]:
    amount = operations_between(min(row.flops, row.flops_min), max(row.flops, row.if_taken))
    return (
        place(document, row.frame) if row.frame >= 0 else "no line of your code",
        row.label,
        f"{amount} per step" if row.per_trip else amount,
        f"{row.transcendentals:,}" if row.transcendentals else "",
        size(_bytes(row)),
        share(work_of(row), work_of(cost)) if work_of(row) else "",
    )


def _difference(document: Snapshot, text: str, frame: int) -> str:
    return text if frame < 0 else f"Line {place(document, frame)}: {text}"


def _memory(memory: Memory) -> str | None:
    parts = [
        ("arguments", memory.arguments),
        ("results", memory.results),
        ("temporaries", memory.temporaries),
    ]
    parts_with_sizes = [f"{name} {size(number)}" for name, number in parts if number is not None]
    sentences = []
    if parts_with_sizes:
        sentences.append(f"Memory of the executable, reported by XLA: {', '.join(parts_with_sizes)}.")
    if memory.peak is not None:
        sentences.append(peak_text(memory.peak))
    return " ".join(sentences) or None


def _bytes(row: CostRow) -> int:
    return row.bytes_read + row.bytes_written


def _price(row: CostRow) -> tuple[int, int, int, int]:
    return work_of(row), row.if_taken, row.transcendentals, _bytes(row)
