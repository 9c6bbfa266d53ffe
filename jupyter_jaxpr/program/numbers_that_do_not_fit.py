"""Finds Python numbers in a program that the program converts to a dtype which does not hold them.

JAX raises no error: the integer 300 becomes 44 as uint8, and 1e-8 becomes 0 as float16. Such a number is a literal with
a weak type, which a call of a jitted function gets and converts. Outside of jit, JAX may first make an array of the
number, by a dispatch of `stage`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..jax.silent_type_and_value_changes import ChangedNumber, changed_python_number
from .jaxpr.parameters import open_jaxpr
from .jaxpr.walk import Walk

_CALLS = frozenset({"jit", "pjit", "closed_call"})
_CONVERTS = "convert_element_type"
_MAKES_ARRAY = "stage"


@dataclass(frozen=True)
class NumberThatDoesNotFit:
    """An equation of a scope that converts, or passes on, a Python number that does not fit the new dtype."""

    scope: int
    equation: int
    number: ChangedNumber


def numbers_that_do_not_fit(walk: Walk, scopes: list[int]) -> Iterator[NumberThatDoesNotFit]:
    """Yield the numbers in some scopes of a `Walk` that do not fit the dtype to which a program converts them."""
    if _CONVERTS not in walk.primitives(scopes):
        return
    for scope in scopes:
        staged: dict[Any, int | float] = {}
        for place, equation in enumerate(walk.jaxprs[scope].eqns):
            if equation.primitive.name == _MAKES_ARRAY and len(equation.invars) == len(equation.outvars) == 1:
                number_in_array = _python_number(equation.invars[0], {})
                if number_in_array is not None:
                    staged[equation.outvars[0]] = number_in_array
            elif equation.primitive.name in _CALLS or equation.primitive.name == _CONVERTS:
                for number in _of_equation(equation, staged):
                    yield NumberThatDoesNotFit(scope, place, number)


def _of_equation(equation: Any, values: Mapping[Any, Any]) -> Iterator[ChangedNumber]:
    """Yield the numbers of an equation; `values` are those of the variables that stand for Python numbers."""
    numbers = [_python_number(operand, values) for operand in equation.invars]
    if equation.primitive.name == _CONVERTS:
        changed = None if numbers[0] is None else changed_python_number(numbers[0], equation.params["new_dtype"])
        if changed is not None:
            yield changed
    elif equation.primitive.name in _CALLS and any(number is not None for number in numbers):
        inner = open_jaxpr(equation.params.get("jaxpr", equation.params.get("call_jaxpr")))
        if inner is not None and len(inner.invars) == len(numbers):
            inside = {
                variable: number for variable, number in zip(inner.invars, numbers, strict=True) if number is not None
            }
            for inner_equation in inner.eqns:
                yield from _of_equation(inner_equation, inside)


def _python_number(operand: Any, values: Mapping[Any, Any]) -> int | float | None:
    """Return the value of an operand with a weak type; None if it is unknown or no number of Python's."""
    if not hasattr(operand, "val"):
        number: int | float | None = values.get(operand)
        return number
    value = operand.val
    if not getattr(operand.aval, "weak_type", False) or getattr(value, "shape", ()) != ():
        return None
    value = value.item() if hasattr(value, "item") else value
    if type(value) is bool or not isinstance(value, int | float):
        return None
    # The value of a literal has a class of JAX, derived from int or float: a plain number is returned.
    return int(value) if isinstance(value, int) else float(value)
