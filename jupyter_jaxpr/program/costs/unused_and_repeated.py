"""Finds equations whose results nothing uses, and equations that compute the same as an earlier equation.

JAX or XLA removes the former, and XLA merges the latter, so that XLA's count of operations lacks both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..jaxpr.walk import Walk
from .costs_of_equations import Call, Costs
from .executions_of_scopes_and_lines import frame_of

_NAMED = frozenset({"jit", "pjit"})


class Removed(NamedTuple):
    """An equation that the executable lacks.

    Attributes:
        name: The name of the primitive, or of the jitted function that the equation calls.
        operations: The operations of the equation, with the body of each loop once.
        frame: The user's frame of the equation; -1 for none.
        first: The user's frame of the equation that computes the same; None if nothing uses the result.
    """

    name: str
    operations: int
    frame: int
    first: int | None = None


def removed_equations(
    costs: Costs,
    scope: int,
    operations_of: Callable[[int, Call], int],
    parts_of: Callable[[int, Call], Iterable[tuple[int, int]]],
) -> list[Removed]:
    """Return the equations of a program whose results nothing uses, and those that repeat an earlier equation.

    Args:
        costs: The costs of the scopes of the `Walk`.
        scope: The outermost scope of the program.
        operations_of: Returns the operations of an equation with inner programs, as XLA counts them.
        parts_of: Returns (inner scope, how often XLA counts the scope) for an equation with inner programs.
    """
    removed: list[Removed] = []
    waiting = [(scope, 1, -1)]
    while waiting:
        number, times, around = waiting.pop()
        priced = costs.priced(number)
        calls = {call.equation: call for call in priced.calls}
        found = removed_in_scope(costs.walk, number)
        for equation, first in found.items():
            call, own = calls.get(equation), priced.own[equation]
            operations = max(costs.owns[own].flops, 0) if call is None else operations_of(number, call)
            if operations:
                columns = costs.walk.scopes[number]
                name = columns.primitive[equation]
                if call is not None and call.primitive in _NAMED and costs.walk.scopes[call.parts[0].scope].name >= 0:
                    name = costs.walk.scopes[call.parts[0].scope].name
                places = [frame_of(costs.walk, columns.stack[at]) for at in (equation, first) if at is not None]
                frame, *first_frame = [around if place < 0 else place for place in places]
                removed.append(Removed(costs.walk.strings.items[name], operations * times, frame, *first_frame))
        for equation, call in calls.items():
            if equation not in found:
                place = frame_of(costs.walk, costs.walk.scopes[number].stack[equation])
                frame = around if place < 0 else place
                waiting += [(inner, times * inner_times, frame) for inner, inner_times in parts_of(number, call)]
    return removed


def removed_in_scope(walk: Walk, number: int) -> dict[int, int | None]:
    """Return {index of a removed equation: the index of the earlier equation that computes the same, or None}."""
    jaxpr, columns = walk.jaxprs[number], walk.scopes[number]
    live: set[Any] = {variable for variable in jaxpr.outvars if not hasattr(variable, "val")}
    unused: set[int] = set()
    for index in reversed(range(len(jaxpr.eqns))):
        equation = jaxpr.eqns[index]
        if equation.effects or any(variable in live for variable in equation.outvars):
            live.update(variable for variable in equation.invars if not hasattr(variable, "val"))
        else:
            unused.add(index)
    found: dict[int, int | None] = dict.fromkeys(unused)
    children: dict[int, list[tuple[int, ...]]] = {}
    for index, *child in columns.children:
        children.setdefault(index, []).append(tuple(child))
    same: dict[Any, Any] = {}  # variable of a repeated equation -> variable of the first such equation
    firsts: dict[Any, int] = {}
    for index, equation in enumerate(jaxpr.eqns):
        if index in unused or equation.effects:
            continue
        operands = tuple(
            (str(operand.val), str(operand.aval)) if hasattr(operand, "val") else id(same.get(operand, operand))
            for operand in equation.invars
        )
        key = columns.primitive[index], columns.parameters[index], operands, tuple(children.get(index, ()))
        first = firsts.setdefault(key, index)
        if first != index and [str(variable.aval) for variable in jaxpr.eqns[first].outvars] == [
            str(variable.aval) for variable in equation.outvars
        ]:
            found[index] = first
            same.update(zip(equation.outvars, jaxpr.eqns[first].outvars, strict=True))
    return found
