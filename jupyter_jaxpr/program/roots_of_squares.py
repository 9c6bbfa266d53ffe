"""Finds square roots of sums of squares whose gradient is NaN if the squared numbers are 0: zero times infinity.

The gradient of `jnp.sqrt(jnp.sum(x * x))`, as of `jnp.linalg.norm(x)`, is x times the derivative of the square root.
The search looks for two things in the equations: squares below the root; and, in the backward pass, the product of the
squared numbers (0) with a value that is infinite or NaN there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from .jaxpr.inlined import InlinedEquation, inlined, inlined_pairs
from .jaxpr.walk import Walk
from .values_at_point import ValuesAtPoint

_BACKWARD = "transpose("
_KEPT = frozenset({"_where"})
_PASSES = frozenset({"neg", "convert_element_type", "copy", "broadcast_in_dim", "reshape", "squeeze"})
_DEPTH = 8
_MOST = 20

Place = tuple[int, int]


def roots_of_squares(walk: Walk, scopes: list[int], before: list[int] | None = None) -> Iterator[Place]:
    """Yield (scope, equation) for each square root whose gradient in a program is NaN at 0.

    Args:
        walk: The walk of the program.
        scopes: The scopes of the program, the outermost first.
        before: The scopes of the previous program, if both may be the forward and the backward program of one gradient.
    """
    every = [*(before or ()), *scopes]
    equations = [equation for number in every for equation in walk.jaxprs[number].eqns]
    if not any(equation.primitive.name == "sqrt" for equation in equations):
        return
    numbers = {id(walk.jaxprs[number]): number for number in reversed(every)}
    lists = [inlined(walk.jaxprs[scopes[0]], _KEPT)]
    if before is not None:
        lists = inlined_pairs(walk.jaxprs[before[0]], walk.jaxprs[scopes[0]], _KEPT)
    inputs = set(walk.jaxprs[every[0]].invars)
    places = [set(_found(rows, numbers, inputs)) for rows in lists]
    yield from sorted(set.intersection(*places) if places else ())


def _found(rows: list[InlinedEquation], numbers: Mapping[int, int], inputs: AbstractSet[Any]) -> Iterator[Place]:
    if not any(_BACKWARD in row.name_stack for row in rows):
        return
    made = {variable: row for row in rows for variable in row.outvars}
    roots = [row for row in rows if row.primitive.name == "sqrt" and _BACKWARD not in row.name_stack]
    for root in roots[:_MOST]:
        squared = _squared(root.invars[0], made, inputs)
        scope = numbers.get(id(root.jaxpr))
        if squared is not None and scope is not None and _is_nan_at_zero(rows, squared, root):
            yield scope, root.index


def _squared(operand: Any, made: Mapping[Any, InlinedEquation], inputs: AbstractSet[Any]) -> Any:
    """Return the value v if the operand is v * v, or a sum or mean of v * v; None for other operands.

    The value must be an input or a difference of an input: the code may keep any other value away from 0.
    """
    for _ in range(_DEPTH):
        row = None if hasattr(operand, "val") else made.get(operand)
        if row is None:
            return None
        name, first = row.primitive.name, row.invars[0]
        is_square = name == "square" or (name == "integer_pow" and row.params["y"] == 2)
        if is_square or (name == "mul" and first is row.invars[1]):
            first = _passed(first, made)
            difference = None if hasattr(first, "val") else made.get(first)
            values = [first] if difference is None or difference.primitive.name != "sub" else difference.invars
            is_free = any(not hasattr(value, "val") and value in inputs for value in (_passed(v, made) for v in values))
            return first if is_free else None
        if name not in _PASSES - {"neg"} and name != "reduce_sum":
            if name != "div" or not hasattr(row.invars[1], "val"):
                return None
        operand = first
    return None


def _passed(operand: Any, made: Mapping[Any, InlinedEquation]) -> Any:
    """Return the value from which an operand differs only in shape, dtype or sign."""
    while not hasattr(operand, "val") and operand in made and made[operand].primitive.name in _PASSES:
        operand = made[operand].invars[0]
    return operand


def _is_nan_at_zero(rows: list[InlinedEquation], squared: Any, root: InlinedEquation) -> bool:
    """Return whether a product in the backward pass is certainly zero times infinity if the squared value is 0.

    The derivative of the square root is 0.5 divided by the square root. Any other quotient belongs to the user's code.
    """
    values = ValuesAtPoint(rows, {squared: 0.0, root.invars[0]: 0.0})
    infinite: set[Any] = set()  # the variables that are certainly infinite or NaN
    for row in rows:
        name = row.primitive.name
        if not row.outvars or name not in _PASSES | {"mul", "div"}:
            continue
        is_infinite = [not hasattr(operand, "val") and operand in infinite for operand in row.invars]
        if name == "mul" and any(is_infinite):
            other = row.invars[int(is_infinite[0])]
            if _BACKWARD in row.name_stack and values.of(other) == 0:
                return True
        is_derivative = name == "div" and _is_derivative(row, root)
        number = values.of(row.outvars[0]) if name == "div" and (is_derivative or is_infinite[0]) else None
        if (any(is_infinite) and name != "div") or (number is not None and not np.isfinite(number)):
            infinite.add(row.outvars[0])
    return False


def _is_derivative(quotient: InlinedEquation, root: InlinedEquation) -> bool:
    """Return whether a quotient is 0.5 divided by a square root."""
    half, divisor = quotient.invars
    return getattr(half, "val", None) == 0.5 and not hasattr(divisor, "val") and divisor is root.outvars[0]
