"""The cards that the program room found in, those of the document out, and where each construct is in its program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from ..program.control_flow import Card, ControlPath, Reader
from ..program.jaxpr import Walk
from .control_flow import Branch, Control, Slot
from .document import Program

#: Most cards of a document.
MOST = 600


def read_control_flow(
    walk: Walk, programs: Sequence[Program], failed: Callable[[str], None]
) -> tuple[list[Control], list[ControlPath]]:
    """The cards of all programs, and the way to each.

    Args:
        walk: What the programs' scopes and pools are in; frames of definitions are added to its pools.
        programs: In the order of the document.
        failed: Told of what could not be read, as a traceback.
    """
    reader = Reader(walk, failed)
    cards: list[Card] = []
    for number, program in enumerate(programs):
        if len(cards) >= MOST:
            break
        first = len(cards)
        found = reader.program(number, program.scope, program.input_names, program.call)
        for card in found.cards:
            card.parent += first if card.parent >= 0 else 0
        cards += found.cards
    del cards[MOST:]
    return [_control(card) for card in cards], [card.path for card in cards]


def _control(card: Card) -> Control:
    fields: dict[str, Any] = {name: getattr(card, name) for name in Control.__struct_fields__}
    fields["slots"] = [Slot(**asdict(slot)) for slot in card.slots]
    fields["branches"] = [Branch(**asdict(branch)) for branch in card.branches]
    return msgspec.convert(fields, Control)
