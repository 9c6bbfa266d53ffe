"""Computes the values that variables have if another variable is a given number; unknown values are None."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .jaxpr.parameters import open_jaxpr

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "add_any": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "pow": np.power,
    "neg": operator.neg,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "sqrt": np.sqrt,
    "rsqrt": lambda number: np.divide(type(number)(1), np.sqrt(number)),
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "not": np.logical_not,
    "and": np.logical_and,
    "or": np.logical_or,
}
_SAME = frozenset({"convert_element_type", "copy", "broadcast_in_dim", "stop_gradient"})
_DEPTH = 40


class ValuesAtPoint:
    """The values that a scope's variables have if one variable has a given number as its value."""

    def __init__(self, equations: Any, known_values: Mapping[Any, Any]) -> None:
        """Compute values from the equations of a scope and the known values.

        Args:
            equations: The equations of the scope.
            known_values: Variable -> its value, given by the caller; None for an unknown value.
        """
        self._made = {variable: equation for equation in equations for variable in equation.outvars}
        self._known = dict(known_values)

    def of(self, operand: Any, depth: int = _DEPTH) -> Any:
        """Return the value of a scalar operand; None if unknown."""
        if hasattr(operand, "val"):
            return _scalar(operand.val, operand.aval)
        if operand in self._known:
            return _scalar(self._known[operand], operand.aval)
        equation = self._made.get(operand)
        if equation is None or not depth:
            return None
        with np.errstate(all="ignore"):
            value = self._computed(equation, operand, depth - 1)
        self._known[operand] = value
        return _scalar(value, operand.aval)

    def _computed(self, equation: Any, operand: Any, depth: int) -> Any:
        name = equation.primitive.name
        if name in ("jit", "pjit"):
            inner = open_jaxpr(equation.params.get("jaxpr"))
            if inner is None:
                return None
            operands = [self.of(operand, depth) for operand in equation.invars]
            inside = ValuesAtPoint(inner.eqns, dict(zip(inner.invars, operands, strict=True)))
            return inside.of(inner.outvars[equation.outvars.index(operand)], depth)
        if name == "select_n":
            place = self.of(equation.invars[0], depth)
            return None if place is None else self.of(equation.invars[1 + int(place)], depth)
        if name != "integer_pow" and name not in _FUNCTIONS and name not in _SAME:
            return None
        operands = [self.of(operand, depth) for operand in equation.invars]
        if any(operand is None for operand in operands):
            return None
        if name in _SAME:
            return operands[0]
        if name == "integer_pow":
            return np.power(operands[0], equation.params["y"]) if operands[0].dtype.kind == "f" else None
        return _FUNCTIONS[name](*operands)


def _scalar(value: Any, aval: Any) -> Any:
    """Return a number in the type of a variable; None if the value is no number of this type."""
    if value is None or getattr(value, "shape", ()) != ():
        return None
    dtype = getattr(aval, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biuf" or dtype.itemsize > 8:
        return None
    with np.errstate(all="ignore"):
        return dtype.type(value)
