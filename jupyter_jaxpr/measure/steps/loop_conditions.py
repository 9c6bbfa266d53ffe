"""Finds the scalars that a while loop's condition compares, and the carries that decide the end of the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...document.control_constructs import SCOPE_PRIMITIVES
from ...program.jaxpr.parameters import open_jaxpr

_COMPARISONS = {"gt": "above", "ge": "at or above", "lt": "below", "le": "at or below"}
_MIRRORED = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}
# The names of the parameter that holds the inner program of a named scope (jit, custom rule, remat).
SCOPE_PARAMETERS = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_CONNECTIVES = frozenset({"and", "or", "not", "convert_element_type", "reduce_or", "broadcast_in_dim"})


@dataclass(frozen=True)
class Compared:
    """A scalar that the condition compares with a fixed value."""

    # the variable of the scalar, in the condition's jaxpr
    variable: Any
    # the fixed value: a literal in `literal`, or in `constant` the index of a constant among the condition's inputs
    literal: Any
    constant: int | None
    # the comparison that keeps the loop running: "above" means that the scalar is above the fixed value
    side: str
    # the index of the scalar in the carry; None if it is not in the carry
    carry: int | None


def compared_scalars(condition: Any, constants: int) -> list[Compared]:
    """Return the scalars in the comparisons of a condition; `and`, `or` and `not` may combine several comparisons.

    Args:
        condition: The jaxpr of the condition.
        constants: How many of the first inputs are constants of the loop.
    """
    jaxpr = open_jaxpr(condition)
    assert jaxpr is not None
    equation_of = {id(variable): equation for equation in jaxpr.eqns for variable in equation.outvars}
    places = {id(variable): position for position, variable in enumerate(jaxpr.invars)}
    scalars: list[Compared] = []
    waiting = list(jaxpr.outvars)
    while waiting:
        equation = equation_of.get(id(waiting.pop(0)))
        if equation is None:
            continue
        name = equation.primitive.name
        if name in _CONNECTIVES:
            waiting.extend(equation.invars)
        elif name in _COMPARISONS and not equation.invars[0].aval.shape:
            for scalar, fixed_value, word in (
                (equation.invars[0], equation.invars[1], name),
                (equation.invars[1], equation.invars[0], _MIRRORED[name]),
            ):
                place = places.get(id(fixed_value))
                fixed = hasattr(fixed_value, "val") or (place is not None and place < constants)
                if not fixed or hasattr(scalar, "val"):
                    continue
                place_of_scalar = places.get(id(scalar))
                if place_of_scalar is not None and place_of_scalar < constants:
                    continue
                literal = fixed_value.val if hasattr(fixed_value, "val") else None
                in_carry = None if place_of_scalar is None else place_of_scalar - constants
                scalars.append(Compared(scalar, literal, place, _COMPARISONS[word], in_carry))
                break
    return scalars


def deciding(condition: Any, condition_constants: int, body: Any, body_constants: int) -> list[int]:
    """Return the indices in the carry of the values that decide when the loop ends, directly or through later steps."""
    condition_inputs = _inputs_of(open_jaxpr(condition), [True])
    positions = {position - condition_constants for position in condition_inputs if position >= condition_constants}
    program = open_jaxpr(body)
    assert program is not None
    while True:
        is_wanted = [position in positions for position in range(len(program.outvars))]
        earlier_positions = {
            place - body_constants for place in _inputs_of(program, is_wanted) if place >= body_constants
        }
        if earlier_positions <= positions:
            return sorted(positions)
        positions |= earlier_positions


def _inputs_of(jaxpr: Any, is_wanted: Sequence[bool]) -> set[int]:
    """Return the indices of the inputs on which the wanted outputs depend; named scopes are searched, too."""
    live = {
        id(variable) for variable, is_output_wanted in zip(jaxpr.outvars, is_wanted, strict=True) if is_output_wanted
    }
    for equation in reversed(jaxpr.eqns):
        outputs = [id(variable) in live for variable in equation.outvars]
        if not any(outputs):
            continue
        inputs: set[int] | range = range(len(equation.invars))
        if equation.primitive.name in SCOPE_PRIMITIVES:
            inner = next(open_jaxpr(equation.params.get(name)) for name in SCOPE_PARAMETERS if name in equation.params)
            if inner is not None and len(inner.invars) == len(equation.invars):
                inputs = _inputs_of(inner, outputs)
        live.update(id(equation.invars[place]) for place in inputs)
    return {place for place, variable in enumerate(jaxpr.invars) if id(variable) in live}
