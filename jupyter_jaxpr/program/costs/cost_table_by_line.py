"""Sums the costs for each line of the user's source and for each primitive.

Each row has its cost in the most expensive and in the cheapest call of the program, so the rows of a table add up to
the program's total. A line in a branch that the most expensive call does not take has the cost 0; `if_taken` is the
largest cost that the row can have: each cond takes the branch with the most work of this row.
"""

from __future__ import annotations

from dataclasses import dataclass

from .cost_sums_and_order import Own, work
from .costs_of_equations import Costs
from .executions_of_scopes_and_lines import Runs, ScopeRuns, frame_of
from .operations_if_taken import at_most

#: the key of the row for equations without a user line
_NO_LINE = -1, -1


@dataclass(slots=True)
class Row:
    """A sum over equations; `document.types.cost.CostRow` describes the fields."""

    label: str = ""
    frame: int = -1
    equations: int = 0
    flops: int = 0
    flops_min: int = 0
    if_taken: int = 0
    transcendentals: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    per_trip: bool = False

    def add(self, price: Own, count: int, runs: Runs) -> None:
        """Add `count` equations of a scope that runs `runs` times."""
        self.equations += count
        flops, dearest = max(price.flops, 0) * count, runs.dearest * count
        self.flops += flops * runs.dearest
        self.flops_min += flops * runs.cheapest
        self.transcendentals += max(price.transcendentals, 0) * dearest
        self.bytes_read += max(price.read, 0) * dearest
        self.bytes_written += max(price.written, 0) * dearest
        self.per_trip |= runs.per_trip


def by_primitive(costs: Costs, runs: dict[int, ScopeRuns]) -> list[Row]:
    """Return a row for each primitive without inner programs, the most expensive first."""
    strings = costs.walk.strings.items
    rows: dict[int, Row] = {}
    for number, of_scope in runs.items():
        for (price_number, _, _), count in costs.priced(number).groups.items():
            if price_number >= 0:
                price = costs.owns[price_number]
                row = rows.setdefault(price.primitive, Row(strings[price.primitive]))
                row.add(price, count, of_scope.total)
    dearest_flops = at_most(costs, _root(runs), lambda price, _: price.primitive)
    for number, row in rows.items():
        row.if_taken = dearest_flops.get(number, 0)
    return sorted(rows.values(), key=lambda row: (*_price(row), -row.equations, row.label))


def by_line(costs: Costs, runs: dict[int, ScopeRuns]) -> list[Row]:
    """Return a row for each user line, in the order of files; the last row is for equations without a user line."""
    positions = costs.walk.positions
    rows: dict[tuple[int, int], Row] = {}
    places: dict[int, tuple[int, int]] = {}

    def place_of(frame: int) -> tuple[int, int]:
        place = places.get(frame)
        if place is None:
            file, _, line, *_ = positions.frames[frame] if frame >= 0 else (-1, 0, -1)
            place = places[frame] = (file, line)
        return place

    def row(frame: int) -> Row:
        return rows.setdefault(place_of(frame), Row(frame=frame))

    for number, of_scope in runs.items():
        for (price_number, stack, _), count in costs.priced(number).groups.items():
            if price_number < 0:
                continue
            price = costs.owns[price_number]
            frame = frame_of(costs.walk, stack)
            if frame >= 0:
                row(frame).add(price, count, of_scope.total)
                continue
            for around, outer in of_scope.frames.items():
                row(around).add(price, count, outer)

    def of_stack(stack: int) -> tuple[int, int]:
        return place_of(frame_of(costs.walk, stack))

    program = _root(runs)
    dearest_flops = at_most(costs, program, lambda _, stack: of_stack(stack), (_NO_LINE, of_stack))
    call = place_of(next(iter(runs[program].frames)))
    if call != _NO_LINE:
        dearest_flops[call] = dearest_flops.get(call, 0) + dearest_flops.pop(_NO_LINE, 0)
    for place, sums in rows.items():
        sums.if_taken = dearest_flops.get(place, 0)
    return [rows[place] for place in sorted(rows, key=lambda place: (place[0] < 0, place))]


def _root(runs: dict[int, ScopeRuns]) -> int:
    """Return the outermost scope of the program.

    It comes first, because callers come before the scopes that they call.
    """
    return next(iter(runs))


def unknown(costs: Costs, runs: dict[int, ScopeRuns]) -> list[tuple[str, int]]:
    """Return (primitive, number of its equations) for the primitives without a cost rule."""
    counts: dict[str, int] = {}
    for number in runs:
        for (price_number, _, _), count in costs.priced(number).groups.items():
            if price_number >= 0 and costs.owns[price_number].flops < 0:
                name = costs.walk.strings.items[costs.owns[price_number].primitive]
                counts[name] = counts.get(name, 0) + count
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _price(row: Row) -> tuple[int, int]:
    return -work(row.flops, row.transcendentals), -(row.bytes_read + row.bytes_written)
