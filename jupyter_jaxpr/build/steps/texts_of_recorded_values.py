"""Gives the columns of recorded steps the same names as the operands and carries on the construct's card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...document.types.control_flow import Control
from ...measure.steps.kept_steps import Leaf as Column

_SLOT_ROLES = {"carry": "carry", "x": "xs", "y": "ys", "operand": "operand", "result": "result"}


def as_passed(card: Control, columns: Sequence[Column]) -> list[Column]:
    """Return the columns of a recording.

    For a switch, the column of the passed index is merged into the column of the index that JAX clamped it to.
    """
    passed = next((column for column in columns if column.role == "passed"), None)
    if passed is None:
        return list(columns)
    index, *more_columns = (column for column in columns if column is not passed)
    values = [
        value if value.text == clamped.text else replace(value, text=f"{value.text}, clamped to {clamped.text}")
        for value, clamped in zip(passed.seen, index.seen, strict=True)
    ]
    return [replace(index, seen=values, type=passed.type), *more_columns]


def path_of(card: Control, column: Column, columns: Sequence[Column]) -> str:
    """Return the path of the operand or carry whose values are in a column; '' if it is not certain."""
    role, place = (column.role, column.index) if column.role != "compared" else ("carry", column.carry)
    slots = [slot.path for slot in card.slots if slot.role == _SLOT_ROLES.get(role)]
    count = sum(1 for column in columns if column.role == role)
    return slots[place] if place is not None and len(slots) == count else ""
