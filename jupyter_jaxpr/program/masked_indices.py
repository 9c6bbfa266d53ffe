"""Finds out whether a mask covers the result of an index, so that the index may be out of bounds on purpose.

A mask is a selection such as `jnp.where`, or a factor that was a boolean or has a zero. The result may leave the body
of a loop or a called program, and meet its mask outside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from .float_values import Floats

_SAME_VALUES = frozenset({"squeeze", "broadcast_in_dim", "reshape", "convert_element_type"})


@dataclass(frozen=True)
class Caller:
    """The program with the equation that runs another program.

    Attributes:
        jaxpr: The program with the equation.
        values: Variable -> its value, for the known values of this program.
        result: Returns the variable that receives a result of the other program, by the number of the result; None for
            a result that the other program gets again, such as the carry of a loop.
        caller: The program that runs this program; None if there is none.
    """

    jaxpr: Any
    values: Mapping[Any, Any]
    result: Callable[[int], Any]
    caller: Caller | None


def is_masked(jaxpr: Any, variables: Collection[Any], values: Mapping[Any, Any], caller: Caller | None) -> bool:
    """Return whether a mask covers each use of some variables.

    Args:
        jaxpr: The program.
        variables: The variables.
        values: Variable -> its value, for the known values of the program.
        caller: The program that runs this program; None if there is none.
    """
    names = set(variables)
    masks: set[Any] = set()
    is_covered = False
    for later in jaxpr.eqns:
        name = later.primitive.name
        operands = [operand for operand in later.invars if not hasattr(operand, "val")]
        if not any(operand in names for operand in operands):
            was_boolean = name == "convert_element_type" and bool(operands) and operands[0].aval.dtype == bool
            if was_boolean or name in _SAME_VALUES and any(_is_mask(operand, masks, values) for operand in operands):
                masks.update(later.outvars)
        elif name in _SAME_VALUES:
            names.update(later.outvars)
        elif name == "select_n" or later.params.get("name") == "_where":
            is_covered = True
        elif name == "mul" and any(_is_mask(factor, masks, values) for factor in operands if factor not in names):
            is_covered = True
        else:
            return False
    left = [number for number, output in enumerate(jaxpr.outvars) if not hasattr(output, "val") and output in names]
    if not left:
        return is_covered
    results = [None if caller is None else caller.result(number) for number in left]
    if caller is None or any(result is None for result in results):
        return False
    return is_masked(caller.jaxpr, results, caller.values, caller.caller)


def _is_mask(variable: Any, masks: Collection[Any], values: Mapping[Any, Any]) -> bool:
    value = values.get(variable)
    array = value.array if isinstance(value, Floats) else value
    return variable in masks or array is not None and bool((array == 0).any())
