"""Declares two records: the cost of one equation alone, and the cost of one execution of a scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...document.transcendental_weight import TRANSCENDENTAL_WEIGHT


class Own(NamedTuple):
    """The cost of one equation alone, without its inner programs; -1 for an unknown count.

    Attributes:
        primitive: the index of the primitive's name in the strings of the `Walk`.
    """

    flops: int
    transcendentals: int
    read: int
    written: int
    primitive: int


@dataclass(frozen=True, slots=True)
class Cost:
    """The operations and bytes of one execution of a scope.

    Attributes:
        flops: Operations if each cond takes its most expensive branch by `price`.
        transcendentals: Transcendental functions such as sin, in the same execution.
        exact: True if every primitive has a rule, and every loop a known number of steps.
        flops_min: Operations if each cond takes its cheapest branch.
        transcendentals_min: The fewest transcendental functions, over all choices of branches.
        flops_most: The most operations, over all choices of branches.
        transcendentals_most: The most transcendental functions, over all choices of branches.
        read: Bytes read in the most expensive execution, each equation by itself.
        written: Bytes written in the most expensive execution, each equation by itself.
        per_trip: True if a loop has an unknown number of steps; it then counts as one step.
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
        """Return the cost of `count` executions.

        `least` is the number of executions in the cheapest call, if that number is smaller than `count`; None if every
        call has `count` executions.
        """
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
        """(operations, transcendental functions, bytes read and written) of the most expensive execution."""
        return self.flops, self.transcendentals, self.read + self.written

    def price(self, weight: int = TRANSCENDENTAL_WEIGHT) -> tuple[int, ...]:
        """Return the key by which costs are compared.

        The first item is the number of operations, where a transcendental function counts as `weight` operations.
        """
        return work(self.flops, self.transcendentals, weight), *self.amounts


def work(flops: int, transcendentals: int, weight: int = TRANSCENDENTAL_WEIGHT) -> int:
    """Return the number of operations, where a transcendental function such as sin counts as `weight` operations."""
    return flops + weight * transcendentals


def plain(flops: int, transcendentals: int, *, exact: bool = True, read: int = 0, written: int = 0) -> Cost:
    """Return the cost of a scope without branches."""
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
