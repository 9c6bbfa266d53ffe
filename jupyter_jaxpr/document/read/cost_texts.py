"""A program's costs in, the sentences about them out: the exports and the panel show the same ones."""

from __future__ import annotations

import re

from ...quantities import NO_BREAK, count, ends, operations, size
from ..types.cost import CostRow, ProgramCost
from ..types.document import Snapshot

#: Most loops or primitives that a sentence names.
_NAMED = 3


def lead(document: Snapshot, cost: ProgramCost) -> list[str]:
    """How much a call costs and where, a sentence each; the total is in the first that has a number."""
    found = []
    amount = operations_between(cost.flops_min, cost.flops)
    if not cost.flops:
        amount = count(cost.transcendentals, "transcendental operation")
        if not cost.unknown:
            found.append("The program has no floating-point operations.")
    if cost.flops or cost.transcendentals:
        found.append(f"At least {amount} per call." if cost.unknown else f"{amount} per call.")
    else:
        moved = size(cost.bytes_read + cost.bytes_written)
        found.append(
            f"One call reads and writes at least {moved}." if cost.unknown else f"One call reads and writes {moved}."
        )
    most = _most_expensive(document, cost)
    if most is not None:
        found.append(most)
    if cost.per_trip:
        found.append(
            f"The total counts one step of each loop with an unknown number of steps: {_named(cost.per_trip)}."
        )
    if cost.unknown:
        found.append(f"The total leaves out primitives without a cost rule: {_named(cost.unknown)}.")
    return found


def xla_text(flops: int, xla_flops: float | None) -> str:
    """XLA's number of operations, and ours."""
    if xla_flops is None:
        return "XLA gives no number of operations on this device."
    if round(xla_flops) == flops:
        return f"XLA and jupyter_jaxpr both count {flops:,}{NO_BREAK}FLOP."
    return f"XLA counts {round(xla_flops):,}{NO_BREAK}FLOP. jupyter_jaxpr counts {flops:,}{NO_BREAK}FLOP."


def peak_text(peak: int) -> str:
    """The most bytes that are alive at once, by the jaxpr."""
    return f"The estimated memory peak is {size(peak)}, if XLA fuses nothing."


def operations_between(least: int, most: int) -> str:
    """Such as `0 to 12 FLOP`, the unit once where it is the same."""
    if least == most:
        return operations(most)
    return " to ".join(ends(operations(least), operations(most)))


def share(part: int, total: int) -> str:
    """A part in per cent, such as `64 %` or `0.2 %`."""
    number = 100 * part / total
    return f"{number:.0f}{NO_BREAK}%" if number >= 0.95 else f"{number:.1g}{NO_BREAK}%"


def place(document: Snapshot, frame: int) -> str:
    """What follows the word line: `6`, `6 of cell [2]` or `6 of model.py`."""
    row = document.frames[frame]
    file = document.files[row.file]
    if file.kind != "cell":
        name = re.split(r"[/\\]", file.path)[-1]
        return f"{row.line} of {name}"
    own = document.cell is not None and document.cell.file == file.path
    return str(row.line) if own or file.execution_count is None else f"{row.line} of cell [{file.execution_count}]"


def _most_expensive(document: Snapshot, cost: ProgramCost) -> str | None:
    """Which line costs most; None where no line of the user's has a cost."""

    def amount(row: CostRow | ProgramCost) -> int:
        if cost.flops:
            return row.flops
        return row.transcendentals if cost.transcendentals else row.bytes_read + row.bytes_written

    row = max((row for row in cost.by_line if row.frame >= 0), key=amount, default=None)
    if row is None or not amount(row):
        return None
    part = share(amount(row), amount(cost))
    unit = "operations" if cost.flops else "transcendental operations" if cost.transcendentals else "bytes moved"
    counted = f"counted {unit}" if cost.unknown else unit
    line = f"line{NO_BREAK}{place(document, row.frame)}"
    if cost.flops_min < cost.flops:
        return f"With the most expensive branches, {part} of the {counted} are on {line}."
    return f"{part} of the {counted} are on {line}."


def _named(names: list[str]) -> str:
    left = len(names) - _NAMED
    return "; ".join([*names[:_NAMED], *([f"{left} more"] if left > 0 else [])])
