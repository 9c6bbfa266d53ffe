"""What something costs, as numbers: of an equation by itself, and of one run of a scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Own(NamedTuple):
    """What one equation costs by itself, programs inside apart; -1 where it is not known."""

    flops: int
    transcendentals: int
    read: int
    written: int
    #: Index of the primitive's name in the strings of the walk.
    primitive: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Operations and bytes of one run.

    Attributes:
        flops: Operations, where each cond takes its dearest branch.
        transcendentals: Functions such as sin, there.
        exact: Every primitive in it has a rule, and every loop a known length.
        flops_min: Operations, where each cond takes its cheapest branch.
        read: Bytes read, each equation by itself, in the dearest run.
        written: Bytes written, likewise.
        per_trip: A loop of unknown trips is in it, and counts as one trip.
    """

    flops: int = 0
    transcendentals: int = 0
    exact: bool = True
    flops_min: int = 0
    read: int = 0
    written: int = 0
    per_trip: bool = False

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.flops + other.flops,
            self.transcendentals + other.transcendentals,
            self.exact and other.exact,
            self.flops_min + other.flops_min,
            self.read + other.read,
            self.written + other.written,
            self.per_trip or other.per_trip,
        )

    def times(self, count: int, least: int | None = None) -> Cost:
        """So many runs; `least` where the cheapest call has fewer."""
        return Cost(
            self.flops * count,
            self.transcendentals * count,
            self.exact,
            self.flops_min * (count if least is None else least),
            self.read * count,
            self.written * count,
            self.per_trip,
        )

    @property
    def price(self) -> tuple[int, int, int]:
        """By which branches are compared: operations first, then functions, then bytes."""
        return self.flops, self.transcendentals, self.read + self.written


NOTHING = Cost()
UNKNOWN = Cost(exact=False)
