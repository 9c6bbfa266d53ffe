"""Names the columns of recorded steps as the slots of the construct's card are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..document.types.control_flow import Control
from ..measure.steps.recorded import Leaf as Column

_SLOT_ROLES = {"carry": "carry", "x": "xs", "y": "ys", "operand": "operand", "result": "result"}


def as_passed(card: Control, columns: Sequence[Column]) -> list[Column]:
    """The columns, with the index of a switch as the call passed it beside the index that JAX clamped it to."""
    passed = next((each for each in columns if each.role == "passed"), None)
    if passed is None:
        return list(columns)
    index, *others = (each for each in columns if each is not passed)
    seen = [
        given if given.text == clamped.text else replace(given, text=f"{given.text}, clamped to {clamped.text}")
        for given, clamped in zip(passed.seen, index.seen, strict=True)
    ]
    return [replace(index, seen=seen, type=passed.type), *others]


def path_of(card: Control, column: Column, columns: Sequence[Column]) -> str:
    """The path of the slot that a column has the values of; empty where no slot is surely that slot."""
    role, place = (column.role, column.index) if column.role != "compared" else ("carry", column.carry)
    slots = [slot.path for slot in card.slots if slot.role == _SLOT_ROLES.get(role)]
    count = sum(1 for each in columns if each.role == role)
    return slots[place] if place is not None and len(slots) == count else ""
