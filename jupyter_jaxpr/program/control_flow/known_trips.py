"""The optimised HLO of a program in, the trip counts that XLA found in it put onto the cards of its while loops.

XLA writes `known_trip_count` where it could count a loop itself. An instruction and a card belong together by the
position of the user's call; where a position has not as many instructions as cards, or they disagree, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..source.positions import Positions
from . import facts
from .card import Card

_WHILE = re.compile(r"= .* while\(")
_COUNT = re.compile(r'"known_trip_count":\{"n":"(\d+)"')

_Position = tuple[int, int, int]


def known_trips(cards: Sequence[Card], text: str, line_stacks: Sequence[int], positions: Positions) -> None:
    """Fill the trips of a program's while loops.

    Args:
        cards: Of one program.
        text: Its optimised HLO.
        line_stacks: Of each line: index of its stack; -1 for none.
        positions: The pools of the stacks.
    """
    waiting: dict[_Position, list[Card]] = {}
    for card in cards:
        if card.primitive == "while" and card.trips is None and card.frame >= 0:
            waiting.setdefault(_position(positions, card.frame), []).append(card)
    if not waiting:
        return
    found: dict[_Position, list[int | None]] = {}
    for line, stack in zip(text.split("\n"), line_stacks, strict=False):
        if stack < 0 or not _WHILE.search(line):
            continue
        frames = positions.stacks[stack][0]
        if frames:
            count = _COUNT.search(line)
            found.setdefault(_position(positions, frames[0]), []).append(int(count.group(1)) if count else None)
    for position, loops in waiting.items():
        counts = found.get(position, [])
        trips = counts[0] if counts else None
        if trips is None or len(counts) != len(loops) or any(count != trips for count in counts):
            continue
        for card in loops:
            card.trips, card.trips_from = trips, "xla"
            facts.counted_by_xla(card)


def _position(positions: Positions, frame: int) -> _Position:
    file, _, line, column, *_ = positions.frames[frame]
    return file, line, column
