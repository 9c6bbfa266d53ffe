"""A document's costs in, their words out: a sentence, a row for each line, why XLA says something else, memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..document.types.cost import CostRow, Memory, ProgramCost
from ..document.types.document import Snapshot
from ..quantities import NO_BREAK, count, ends, operations, size
from .summary import of_line

HEAD = ("line", "", "operations", "transcendentals", "bytes", "share")
#: Most lines of a program that are listed, the dearest.
_LINES = 40
_UNIT = f"{NO_BREAK}FLOP"


@dataclass(frozen=True)
class CostText:
    """What the program in focus costs, in words."""

    name: str
    sentence: str
    rows: list[tuple[str, ...]]  # as HEAD
    left_out: str | None
    xla: str | None  # the two counts, where they differ
    differences: list[str]
    memory: str | None


def cost_text(document: Snapshot) -> CostText | None:
    """What the program in focus costs; None where that is not held."""
    cost = next((each for each in document.costs if each.program == document.focus), None)
    if cost is None or document.focus < 0:
        return None
    rows = [row for row in cost.by_line if row.flops or row.if_taken or row.transcendentals or _bytes(row)]
    dearest = sorted(rows, key=_price, reverse=True)[:_LINES]
    listed = [row for row in rows if row in dearest]
    more = len(rows) - len(listed)
    xla = cost.xla
    differ = xla is not None and xla.flops is not None and round(xla.flops) != cost.flops
    return CostText(
        name=document.programs[document.focus].name,
        sentence=sentence(document, cost),
        rows=[_row(document, cost, row) for row in listed],
        left_out=f"and {count(more, 'cheaper line')}" if more else None,
        xla=f"XLA's cost analysis says {_exactly(xla.flops)}, the count here is {_exactly(cost.flops)}."
        if differ and xla is not None and xla.flops is not None
        else None,
        differences=[_difference(document, each.text, each.frame) for each in xla.differences]
        if differ and xla is not None
        else [],
        memory=None if cost.memory is None else _memory(cost.memory),
    )


def sentence(document: Snapshot, cost: ProgramCost) -> str:
    """How much, and where most of it is: `80.1 kFLOP per call. 64 % of it is on line 6.`."""
    if not cost.flops and not cost.unknown:
        moved = size(cost.bytes_read + cost.bytes_written)
        return f"No floating-point operations. {moved} are read and written per call."
    amount = _range(cost.flops_min, cost.flops)
    words = [f"At least {amount} per call." if cost.unknown else f"{amount} per call."]
    most = _most(document, cost)
    if most is not None:
        words.append(most)
    if cost.per_trip:
        words.append(_one_iteration(cost.per_trip))
    if cost.unknown:
        words.append(f"Not counted, as there is no rule: {', '.join(cost.unknown)}.")
    return " ".join(words)


def _one_iteration(loops: Sequence[str]) -> str:
    if len(loops) == 1:
        return f"One step of this loop is counted, because the number of its steps is unknown: {loops[0]}."
    return (
        f"One step of each of these loops is counted, because the number of their steps is unknown: {'; '.join(loops)}."
    )


def _most(document: Snapshot, cost: ProgramCost) -> str | None:
    """On which line most of it is; None where that is not known."""
    lines = [row for row in cost.by_line if row.frame >= 0]
    if not lines or not cost.flops:
        return None
    most = max(lines, key=_price)
    if not most.flops:
        return None
    place = of_line(document, most.frame)
    if most.flops >= 0.9995 * cost.flops:
        return f"All of it is on {place}."
    if cost.flops_min < cost.flops:
        return f"Up to {_share(most, cost)} of it is on {place}."
    return f"{_share(most, cost)} of it is on {place}."


def _share(row: CostRow, cost: ProgramCost) -> str:
    if not cost.flops or not row.flops:
        return ""
    share = 100 * row.flops / cost.flops
    return f"{share:.0f}{NO_BREAK}%" if share >= 0.95 else f"{share:.1g}{NO_BREAK}%"


def _row(document: Snapshot, cost: ProgramCost, row: CostRow) -> tuple[str, ...]:
    most, least = max(row.flops, row.if_taken), min(row.flops, row.flops_min)
    amount = _range(least, most)
    return (
        of_line(document, row.frame).removeprefix("line").strip() if row.frame >= 0 else "elsewhere",
        row.label,
        amount + (" a step" if row.per_trip else ""),
        f"{row.transcendentals:,}" if row.transcendentals else "",
        size(_bytes(row)),
        _share(row, cost),
    )


def _difference(document: Snapshot, text: str, frame: int) -> str:
    if frame < 0:
        return text
    place = of_line(document, frame)
    return f"{place[0].upper()}{place[1:]}: {text}"


def _memory(memory: Memory) -> str | None:
    parts = [
        ("arguments", memory.arguments),
        ("results", memory.results),
        ("temporaries", memory.temporaries),
    ]
    said = [f"{name} {size(number)}" for name, number in parts if number is not None]
    if memory.peak is not None:
        said.append(f"at most {size(memory.peak)} alive at once, by the jaxpr")
    return f"Memory: {', '.join(said)}." if said else None


def _range(least: int, most: int) -> str:
    """Such as `0 to 12 FLOP`, the unit once where it is the same."""
    if least == most:
        return operations(most)
    return " to ".join(ends(operations(least), operations(most)))


def _bytes(row: CostRow) -> int:
    return row.bytes_read + row.bytes_written


def _price(row: CostRow) -> tuple[int, int, int, int]:
    return row.flops, row.if_taken, row.transcendentals, _bytes(row)


def _exactly(number: float) -> str:
    return f"{round(number):,}{_UNIT}"
