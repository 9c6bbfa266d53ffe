"""Decides whether an expression and its derivative are finite when one of its variables is 1.

The cure of a NaN gradient adds a second `jnp.where`, which gives the value 1 to the expression in the branch that is
not chosen. For `1 / jnp.log(x)`, this does not help: at 1, the expression is infinite. The expression is computed with
Python floats; for an unknown function or operator, the answer is False.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

from ...interruptions import not_of_a_signal

_STEP = 1e-6
_STEEPEST = 1e4
#: The expression is computed with each of these values in turn for all of its other names.
_OTHERS = (0.7, 1.3)

_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "log1p": math.log1p,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "cbrt": math.cbrt,
    "exp": math.exp,
    "expm1": math.expm1,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "arctan": math.atan,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctanh": math.atanh,
    "abs": abs,
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "negative": operator.neg,
    "power": math.pow,
    "sum": lambda x: x,
    "mean": lambda x: x,
}
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}


class _Unknown(Exception):
    """Raised if the expression has a function or an operator that this module does not know."""


def is_finite_at_one(expression: ast.expr, value: ast.expr) -> bool:
    """Return whether an expression and its derivative are finite where a value in the expression is 1.

    Args:
        expression: The syntax node of the expression.
        value: The syntax node of the value in the expression, such as a name.
    """
    value_dump = ast.dump(value)
    for number in _OTHERS:
        try:
            below, at, above = (_computed(expression, value_dump, 1 + step, number) for step in (-_STEP, 0.0, _STEP))
        except not_of_a_signal(_Unknown, ValueError, ZeroDivisionError, OverflowError, TypeError):
            return False
        if not math.isfinite(at) or max(abs(above - at), abs(at - below)) > _STEP * _STEEPEST:
            return False
    return True


def _computed(node: ast.expr, value_dump: str, value: float, default: float) -> float:
    def part(inner: ast.expr) -> float:
        return _computed(inner, value_dump, value, default)

    if ast.dump(node) == value_dump:
        return value
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        return default
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -part(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](part(node.left), part(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        function = _FUNCTIONS.get(node.func.attr)
        if function is not None:
            is_method = node.func.attr in ("sum", "mean") and not node.args
            return function(*map(part, [node.func.value] if is_method else node.args))
    raise _Unknown
