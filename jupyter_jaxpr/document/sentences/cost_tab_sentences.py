"""Makes the sentences on the cost of a program; the exports and the panel show the same ones."""

from __future__ import annotations

import re

from ...quantities import NO_BREAK, count, ends, operations, operations_in_words, size
from ..read.recorded_step_counts import recorded_steps
from ..transcendental_weight import TRANSCENDENTAL_WEIGHT
from ..types.cost import CostRow, ProgramCost
from ..types.document import Snapshot

_WEIGHT = f"{TRANSCENDENTAL_WEIGHT} operations"
#: The largest number of loops or primitives that a sentence names.
_NAMED = 3


def lead(document: Snapshot, cost: ProgramCost) -> list[str]:
    """Return sentences on the cost of one call; the first of them states the total, if it is known."""
    sentences = []
    amount = _amount(cost)
    if amount:
        sentences.append(f"At least {amount} per call." if cost.unknown else f"{amount} per call.")
    else:
        if not cost.unknown:
            sentences.append("The program has no arithmetic operations.")
        moved = size(cost.bytes_read + cost.bytes_written)
        sentences.append(
            f"One call reads and writes at least {moved}." if cost.unknown else f"One call reads and writes {moved}."
        )
    most_expensive = _most_expensive(document, cost)
    if most_expensive is not None:
        sentences.append(most_expensive)
    recorded = recorded_steps(document, cost.program)
    loop_steps = [(number, recorded.get(number)) for number in cost.recordings]
    loops = [f"{_loop(document, number)} ({count(steps, 'step')})" for number, steps in loop_steps if steps is not None]
    if loops:
        sentences.append(
            "For a loop with an unknown number of steps, the total counts the steps that the stepper recorded: "
            f"{_named(loops)}."
        )
    if cost.per_trip:
        sentences.append(
            f"The total counts one step of each loop with an unknown number of steps: {_named(cost.per_trip)}."
        )
    if cost.unknown:
        sentences.append(f"The total leaves out primitives without a cost rule: {_named(cost.unknown)}.")
    return sentences


def work_of(row: CostRow | ProgramCost) -> int:
    """Return the operations from which shares are computed; a transcendental function counts as several."""
    return row.flops + TRANSCENDENTAL_WEIGHT * row.transcendentals


def _amount(cost: ProgramCost) -> str:
    """Return the operations of a call as text, such as `1.2 k op`; '' if there are none."""
    fewest = cost.transcendentals if cost.transcendentals_min is None else cost.transcendentals_min
    max_flops = max(cost.flops, cost.flops_most)
    return amount(cost.flops_min, max_flops, fewest, max(cost.transcendentals, cost.transcendentals_most))


def amount(min_flops: int, max_flops: int, fewest_functions: int, functions: int) -> str:
    """Return operations and transcendental functions as text; '' if there are none."""
    plain = operations_in_words(min_flops, max_flops)
    transcendental = count(functions, "transcendental operation")
    if fewest_functions < functions:
        transcendental = f"{fewest_functions:,} to {transcendental}"
    if max_flops and functions:
        return f"{plain} and {transcendental}"
    return plain if max_flops else transcendental if functions else ""


def _depends(cost: ProgramCost) -> bool:
    """Return whether the cost of a call depends on the branches that the call takes."""
    fewest = cost.transcendentals if cost.transcendentals_min is None else cost.transcendentals_min
    return cost.flops_min < max(cost.flops, cost.flops_most) or fewest < max(
        cost.transcendentals, cost.transcendentals_most
    )


def xla_text(flops: int, xla_flops: float | None) -> str:
    """Return a text with XLA's count of operations beside this package's count."""
    if xla_flops is None:
        return "XLA gives no number of operations for this program."
    if round(xla_flops) == flops:
        return f"XLA and jupyter_jaxpr both count {count(flops, 'operation')}."
    return f"XLA counts {count(round(xla_flops), 'operation')}. jupyter_jaxpr counts {count(flops, 'operation')}."


def peak_text(peak: int) -> str:
    """Return a text with the memory peak, as estimated from the jaxpr."""
    return f"The estimated memory peak is {size(peak)}, if XLA fuses nothing."


def operations_between(minimum: int, maximum: int) -> str:
    """Return a range such as `0 to 12 op`; if both ends have the same unit, it is written once."""
    if minimum == maximum:
        return operations(maximum)
    return " to ".join(ends(operations(minimum), operations(maximum)))


def share(part: int, total: int) -> str:
    """Return a share in per cent, such as `64 %` or `0.2 %`."""
    number = 100 * part / total
    return f"{number:.0f}{NO_BREAK}%" if number >= 0.95 else f"{number:.1g}{NO_BREAK}%"


def place(document: Snapshot, frame: int) -> str:
    """Return a line number as it follows the word "line": `6`, `6 of cell [2]` or `6 of model.py`."""
    row = document.frames[frame]
    file = document.files[row.file]
    if file.kind != "cell":
        name = re.split(r"[/\\]", file.path)[-1]
        return f"{row.line} of {name}"
    is_in_cell = document.cell is not None and document.cell.file == file.path
    return (
        str(row.line) if is_in_cell or file.execution_count is None else f"{row.line} of cell [{file.execution_count}]"
    )


def _most_expensive(document: Snapshot, cost: ProgramCost) -> str | None:
    """Return a sentence with the most expensive user line; None if no user line has a cost."""

    def amount(row: CostRow | ProgramCost) -> int:
        return work_of(row) if total else row.bytes_read + row.bytes_written

    total = work_of(cost)
    row = max((row for row in cost.by_line if row.frame >= 0), key=amount, default=None)
    if row is None or not amount(row):
        return None
    percentage = share(amount(row), amount(cost))
    unit = "transcendental operations" if total else "bytes moved"
    if cost.flops:
        unit = "operations"
    operations_or_bytes = f"counted {unit}" if cost.unknown else unit
    line = f"line{NO_BREAK}{place(document, row.frame)}"
    sentence = f"{percentage} of the {operations_or_bytes} are on {line}."
    if cost.flops and cost.transcendentals:
        sentence = (
            f"{percentage} of the {operations_or_bytes} are on {line}, where a transcendental operation counts as "
            f"{_WEIGHT}."
        )
    if _counts_for_call(document, cost, row):
        sentence += (
            f" The call is on {line}: operations without a line in JAX's program, such as operations of a backward "
            "rule, count for the line of the call."
        )
    return f"With the most expensive branches, {sentence}" if _depends(cost) else sentence


def _counts_for_call(document: Snapshot, cost: ProgramCost, row: CostRow) -> bool:
    """Return whether a row includes equations without a user frame, because its line called the program."""
    program = document.programs[cost.program]
    if program.call < 0:
        return False
    called, line = document.frames[program.call], document.frames[row.frame]
    stacks = document.scopes[program.scope].stack
    return (called.file, called.line) == (line.file, line.line) and any(
        stack < 0 or not document.stacks[stack].frames for stack in stacks
    )


def _loop(document: Snapshot, control: int) -> str:
    """Return the name of a loop, such as `while_loop, line 7`."""
    card = document.control_flow[control]
    return f"{card.kind}, line {place(document, card.frame)}" if card.frame >= 0 else card.kind


def _named(names: list[str]) -> str:
    left = len(names) - _NAMED
    return "; ".join([*names[:_NAMED], *([f"{left} more"] if left > 0 else [])])
