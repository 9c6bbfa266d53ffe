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

from .jaxpr.joined_equation_lists import InlinedEquation, inlined, inlined_pairs
from .jaxpr.parameters import open_jaxpr
from .jaxpr.walk import Walk
from .values_at_point import ValuesAtPoint

_BACKWARD = "transpose("
_PASSES = frozenset({"neg", "convert_element_type", "copy", "broadcast_in_dim", "reshape", "squeeze"})
_DEPTH = 8
_MOST = 20

Place = tuple[int, int]


def roots_of_squares(walk: Walk, scopes: list[int], before: list[int] | None = None) -> Iterator[Place]:
    """Yield (scope, equation) for each square root whose gradient in a program is NaN at 0.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scopes: The scopes of the program, the outermost first.
        before: The scopes of the previous program, if both may be the forward and the backward program of one gradient.
    """
    every = [*(before or ()), *scopes]
    equations = [equation for number in every for equation in walk.jaxprs[number].eqns]
    if not any(equation.primitive.name == "sqrt" for equation in equations):
        return
    numbers = {id(walk.jaxprs[number]): number for number in reversed(every)}
    elements: dict[Any, Any] = {}  # array that a scan divides into steps -> its element in one step
    if before is None:
        lists = [inlined(walk.jaxprs[scopes[0]], elements=elements)]
    else:
        lists = inlined_pairs(walk.jaxprs[before[0]], walk.jaxprs[scopes[0]], elements=elements)
    inputs = set(walk.jaxprs[every[0]].invars)
    for array, element in elements.items():  # arrays of outer scans come first, so elements of elements are found, too
        if array in inputs:
            inputs.add(element)
    places = [set(_found(rows, numbers, inputs)) for rows in lists]
    yield from sorted(set.intersection(*places) if places else ())


def count_roots_of_squares(jaxpr: Any) -> int:
    """Return the number of square roots whose gradient is NaN at 0, in a jaxpr and the jitted functions it calls."""
    elements: dict[Any, Any] = {}
    rows = inlined(jaxpr, elements=elements)
    inputs = {*jaxpr.invars, *elements.values()}
    return len(list(_found(rows, {id(row.jaxpr): 0 for row in rows}, inputs)))


def _found(rows: list[InlinedEquation], numbers: Mapping[int, int], inputs: AbstractSet[Any]) -> Iterator[Place]:
    if not any(_BACKWARD in row.name_stack for row in rows):
        return
    made = {variable: row for row in rows for variable in row.outvars}
    roots = [row for row in rows if _is_root(row) and _BACKWARD not in row.name_stack]
    for root in roots[:_MOST]:
        scope = numbers.get(id(root.jaxpr))
        if scope is None:
            continue
        if root.primitive.name != "sqrt":
            is_nan = all(_is_input(operand, made, inputs) for operand in root.invars) and _is_used_backward(root, rows)
        else:
            squared = _squared(root.invars[0], made, inputs)
            is_nan = bool(squared) and _is_nan_at_zero(rows, squared, root)
        if is_nan:
            yield scope, root.index


def _is_root(row: InlinedEquation) -> bool:
    """Return whether an equation is a square root, or JAX's equation for jnp.hypot, a square root of two squares."""
    if row.primitive.name != "custom_jvp_call":
        return bool(row.primitive.name == "sqrt")
    about = getattr(open_jaxpr(row.params.get("call_jaxpr")), "debug_info", None)
    return str(getattr(about, "func_src_info", "")).startswith("_hypot at ")


def _is_used_backward(root: InlinedEquation, rows: list[InlinedEquation]) -> bool:
    """Return whether the backward pass multiplies by a derivative of jnp.hypot, which is 0/0 at (0, 0)."""
    derivatives = set(root.outvars[1:])
    return any(_BACKWARD in row.name_stack and row.primitive.name == "mul" and _reads(row, derivatives) for row in rows)


def _reads(row: InlinedEquation, variables: AbstractSet[Any]) -> bool:
    return any(not hasattr(operand, "val") and operand in variables for operand in row.invars)


def _is_input(operand: Any, made: Mapping[Any, InlinedEquation], inputs: AbstractSet[Any]) -> bool:
    """Return whether an operand is an input, possibly times a number."""
    value = _passed(operand, made)
    row = None if hasattr(value, "val") else made.get(value)
    if row is not None and row.primitive.name == "mul":
        value = next((_passed(factor, made) for factor in row.invars if not hasattr(factor, "val")), value)
        if not any(hasattr(factor, "val") for factor in row.invars):
            return False
    return not hasattr(value, "val") and value in inputs


def _squared(
    operand: Any, made: Mapping[Any, InlinedEquation], inputs: AbstractSet[Any], depth: int = _DEPTH
) -> list[Any]:
    """Return the values whose squares, or a sum or mean of whose squares, is the operand; none for another operand.

    Each value must be an input or a difference of an input: any other value may be kept away from 0 by the code.
    """
    for left in range(depth, 0, -1):
        row = None if hasattr(operand, "val") else made.get(operand)
        if row is None:
            return []
        name, first = row.primitive.name, row.invars[0]
        if name == "add":
            both = [_squared(part, made, inputs, left - 1) for part in row.invars]
            return [*both[0], *both[1]] if all(both) else []
        if name == "select_n":  # jnp.var selects NaN if no degree of freedom is left: that case is skipped
            cases = [case for case in row.invars[1:] if not _is_nan(case, made)]
            if len(cases) != 1 or len(row.invars) != 3:
                return []
            operand = cases[0]
            continue
        is_square = name == "square" or (name == "integer_pow" and row.params["y"] == 2)
        if is_square or (name == "mul" and first is row.invars[1]):
            first = _passed(first, made)
            difference = None if hasattr(first, "val") else made.get(first)
            values = [first] if difference is None or difference.primitive.name != "sub" else difference.invars
            is_free = any(not hasattr(value, "val") and value in inputs for value in (_passed(v, made) for v in values))
            return [first] if is_free else []
        if name not in _PASSES - {"neg"} and name != "reduce_sum":
            if name != "div" or not _is_number(row.invars[1], made):
                return []
        operand = first
    return []


def _is_nan(operand: Any, made: Mapping[Any, InlinedEquation]) -> bool:
    number = _passed(operand, made)
    return hasattr(number, "val") and bool(np.all(np.isnan(np.asarray(number.val, dtype=float))))


def _is_number(operand: Any, made: Mapping[Any, InlinedEquation]) -> bool:
    """Return whether an operand is a number other than 0, such as the number of elements less the ddof."""
    if hasattr(operand, "val"):
        return True
    number = ValuesAtPoint(made.values(), {}).of(operand)
    return number is not None and bool(np.isfinite(number)) and number != 0


def _passed(operand: Any, made: Mapping[Any, InlinedEquation]) -> Any:
    """Return the value from which an operand differs only in shape, dtype or sign."""
    while not hasattr(operand, "val") and operand in made and made[operand].primitive.name in _PASSES:
        operand = made[operand].invars[0]
    return operand


def _is_nan_at_zero(rows: list[InlinedEquation], squared: list[Any], root: InlinedEquation) -> bool:
    """Return whether a product of the backward pass is surely zero times infinity where the squared value is 0.

    The derivative of the square root is 0.5 divided by the square root. Any other quotient belongs to the user's code.
    """
    values = ValuesAtPoint(rows, {**dict.fromkeys(squared, 0.0), root.invars[0]: 0.0})
    infinite: set[Any] = set()  # the variables that are surely infinite or NaN
    for row in rows:
        name = row.primitive.name
        if not row.outvars or name not in _PASSES | {"mul", "div", "select_n"}:
            continue
        is_infinite = [not hasattr(operand, "val") and operand in infinite for operand in row.invars]
        if name == "select_n":
            which = values.of(row.invars[0]) if any(is_infinite) else None
            if which is not None and is_infinite[1 + int(which)]:
                infinite.add(row.outvars[0])
            continue
        if name == "div" and is_infinite[0] and values.of(row.invars[1]) is not None:
            infinite.add(row.outvars[0])  # a known divisor is finite, so the quotient is infinite or NaN, too
            continue
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
