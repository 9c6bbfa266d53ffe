"""Finds the largest number of operations that each row of a cost table can have in one call.

Only one branch of a cond runs, so a row counts the branch with the most operations of this row, not the sum of all
branches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from .cost_sums_and_order import Own
from .costs_of_equations import Call, Costs
from .executions_of_scopes_and_lines import in_order

Key = TypeVar("Key", int, tuple[int, int])


def at_most(
    costs: Costs,
    scope: int,
    row_of: Callable[[Own, int], Key],
    inherited: tuple[Key, Callable[[int], Key]] | None = None,
) -> dict[Key, int]:
    """Return the largest number of operations of each row in one execution of a scope.

    Args:
        costs: The costs of the scopes in the `Walk`.
        scope: The scope.
        row_of: A function: (cost of an equation, its stack) -> the row of the equation.
        inherited: The row of equations without a user line, and a function that returns the row of a call's stack. The
            operations of such equations count for the row of the call of their scope.
    """
    inside_of: dict[int, dict[Key, int]] = {}
    for number in reversed(in_order(costs, scope)):
        priced = costs.priced(number)
        counts: Counter[Key] = Counter()
        for (price_number, stack, _), alike in priced.groups.items():
            if price_number >= 0:
                counts[row_of(costs.owns[price_number], stack)] += max(costs.owns[price_number].flops, 0) * alike
        for call in priced.calls:
            inside = _inside(call, inside_of)
            if inherited is not None and inherited[0] in inside:
                none, row_of_stack = inherited
                # The row `none` is removed before the addition, because `row_of_stack` may return the same row.
                of_none = inside.pop(none)
                inside[row_of_stack(costs.walk.scopes[number].stack[call.equation])] += of_none
            counts.update(inside)
        inside_of[number] = counts
    return dict(inside_of[scope])


def _inside(call: Call, rows_of: dict[int, dict[Key, int]]) -> Counter[Key]:
    counts: Counter[Key] = Counter()
    for part in call.parts:
        for row, flops in rows_of[part.scope].items():
            of_part = flops * part.most
            counts[row] = max(counts[row], of_part) if call.primitive == "cond" else counts[row] + of_part
    return counts
