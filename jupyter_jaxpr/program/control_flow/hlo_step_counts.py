"""Reads the step counts of a program's loops from the optimised HLO, and puts them on the loops' cards.

XLA writes `known_trip_count` for a loop whose steps it could count. A while instruction belongs to the card whose call
in the user's code has the same position. If a position has different numbers of instructions and cards, or if their
counts disagree, no count is used. If each instruction has a position, a card without an instruction is a loop that XLA
removed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...document.control_constructs import SCAN, WHILE
from ..source.positions import Positions
from . import sentences_on_cards
from .rows_of_cards import Card

_WHILE = re.compile(r"= .* while\(")
_COUNT = re.compile(r'"known_trip_count":\{"n":"(\d+)"')

_Position = tuple[int, int, int]


def known_trips(cards: Sequence[Card], text: str, line_stacks: Sequence[int], positions: Positions) -> None:
    """Fill the step counts of a program's while loops, and mark the loops that the HLO does not contain.

    Args:
        cards: The cards of one program.
        text: The optimised HLO of the program.
        line_stacks: For each line of the HLO, the index of its stack; -1 for a line without a stack.
        positions: The pools with the stacks.
    """
    loops: dict[_Position, list[Card]] = {}
    for card in cards:
        if card.primitive in (SCAN, WHILE) and card.frame >= 0:
            loops.setdefault(_position(positions, card.frame), []).append(card)
    if not loops:
        return
    trips_by_position, all_placed = _instructions(text, line_stacks, positions)
    for position, cards_there in loops.items():
        counts = trips_by_position.get(position, [])
        uncounted = [card for card in cards_there if card.primitive == WHILE and card.trips is None]
        if not counts and all_placed:
            for card in cards_there:
                sentences_on_cards.no_hlo_loop(card)
        elif len(counts) == len(uncounted) and len(set(counts)) == 1 and counts[0] is not None:
            for card in uncounted:
                card.trips, card.trips_from = counts[0], "xla"
                sentences_on_cards.counted_by_xla(card)


def _instructions(
    text: str, line_stacks: Sequence[int], positions: Positions
) -> tuple[dict[_Position, list[int | None]], bool]:
    """Return {position: step counts of its while instructions}, and whether each instruction has a position."""
    trips_by_position: dict[_Position, list[int | None]] = {}
    all_placed = True
    for line, stack in zip(text.split("\n"), line_stacks, strict=False):
        if not _WHILE.search(line):
            continue
        frames = positions.stacks[stack][0] if stack >= 0 else []
        if not frames:
            all_placed = False
            continue
        count = _COUNT.search(line)
        trips_by_position.setdefault(_position(positions, frames[0]), []).append(int(count.group(1)) if count else None)
    return trips_by_position, all_placed


def _position(positions: Positions, frame: int) -> _Position:
    file, _, line, column, *_ = positions.frames[frame]
    return file, line, column
