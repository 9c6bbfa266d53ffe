"""Declares costs as numbers: the cost of one equation by itself, and the cost of one run of a scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...document.facts import TRANSCENDENTAL_WEIGHT


class Own(NamedTuple):
    """The cost of one equation by itself, without its inner programs; -1 where a number is unknown."""

    flops: int
    transcendentals: int
    read: int
    written: int
    #: The index of the primitive's name in the strings of the walk.
    primitive: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Operations and bytes of one run.

    Attributes:
        flops: Operations, where each cond takes its dearest branch, see `price`.
        transcendentals: Functions such as sin, there.
        exact: Every primitive in it has a rule, and every loop a known length.
        flops_min: Operations, where each cond takes its cheapest branch.
        transcendentals_min: Functions, at least, whatever each cond takes.
        flops_most: Operations, at most, whatever each cond takes.
        transcendentals_most: Functions, likewise.
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
    transcendentals_min: int = 0
    flops_most: int = 0
    transcendentals_most: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.flops + other.flops,
            self.transcendentals + other.transcendentals,
            self.exact and other.exact,
            self.flops_min + other.flops_min,
            self.read + other.read,
            self.written + other.written,
            self.per_trip or other.per_trip,
            self.transcendentals_min + other.transcendentals_min,
            self.flops_most + other.flops_most,
            self.transcendentals_most + other.transcendentals_most,
        )

    def times(self, count: int, least: int | None = None) -> Cost:
        """Return the cost of several runs; `least` is the number of runs of the cheapest call, where it has fewer."""
        least = count if least is None else least
        return Cost(
            self.flops * count,
            self.transcendentals * count,
            self.exact,
            self.flops_min * least,
            self.read * count,
            self.written * count,
            self.per_trip,
            self.transcendentals_min * least,
            self.flops_most * count,
            self.transcendentals_most * count,
        )

    @property
    def amounts(self) -> tuple[int, int, int]:
        """Operations, functions and bytes."""
        return self.flops, self.transcendentals, self.read + self.written

    def price(self, weight: int = TRANSCENDENTAL_WEIGHT) -> tuple[int, ...]:
        """Return the key by which costs are compared: operations first, where a function counts as several."""
        return work(self.flops, self.transcendentals, weight), *self.amounts


def work(flops: int, transcendentals: int, weight: int = TRANSCENDENTAL_WEIGHT) -> int:
    """Return the number of operations, where a function such as sin counts as `weight` operations."""
    return flops + weight * transcendentals


def plain(flops: int, transcendentals: int, *, exact: bool = True, read: int = 0, written: int = 0) -> Cost:
    """Return the cost of a program without branches."""
    return Cost(
        flops=flops,
        transcendentals=transcendentals,
        exact=exact,
        flops_min=flops,
        read=read,
        written=written,
        transcendentals_min=transcendentals,
        flops_most=flops,
        transcendentals_most=transcendentals,
    )


NOTHING = Cost()
UNKNOWN = Cost(exact=False)
