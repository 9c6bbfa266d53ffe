"""Decides whether an expression and its derivative are finite when one of its variables is 1, or 0.

The cure of a NaN gradient adds a second `jnp.where`, which gives the value 1 to the expression in the branch that is
not chosen. For `1 / jnp.log(x)`, this does not help: at 1, the expression is infinite. The expression is computed with
Python floats; for an unknown function or operator, the answer is False.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...interruptions import not_of_a_signal

_STEP = 1e-6
_STEP_AT_ZERO = 1e-12  # the steps go up from 0: a square root has no value below 0
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
    return bool(is_finite_at(1.0, expression, value, {}))


def is_finite_at(
    point: float, expression: ast.expr, value: ast.expr, functions: Mapping[str, ast.FunctionDef]
) -> bool | None:
    """Return whether an expression and its derivative are finite where a value in the expression is a number.

    Args:
        point: The number.
        expression: The syntax node of the expression.
        value: The syntax node of the value in the expression, such as a name.
        functions: The functions that the expression may call by their names.

    Returns:
        None if the expression has a function or an operator that this module does not know.
    """
    value_dump = ast.dump(value)
    step = _STEP if point else _STEP_AT_ZERO
    for number in _OTHERS:
        try:
            below, at, above = (
                _Computation(number, functions, {}, value_dump, near).of(expression)
                for near in (point - step if point else point, point, point + step)
            )
        except not_of_a_signal(_Unknown):
            return None
        except not_of_a_signal(ValueError, ZeroDivisionError, OverflowError, TypeError):
            return False
        if not math.isfinite(at) or max(abs(above - at), abs(at - below)) > step * _STEEPEST:
            return False
    return True


_MOST_CALLS = 5  # how deep the functions of the user may call each other


@dataclass(frozen=True)
class _Computation:
    """The computation of an expression with Python floats.

    Attributes:
        default: The value of each name without a known value.
        functions: The functions that the expression may call by their names.
        names: Name -> its value, within a called function.
        value_dump: The dump of the syntax of the value that the caller gives; empty within a called function.
        value: The value that the caller gives.
        depth: How many calls of the user's functions are around the expression.
    """

    default: float
    functions: Mapping[str, ast.FunctionDef]
    names: Mapping[str, float]
    value_dump: str = ""
    value: float = 0.0
    depth: int = 0

    def of(self, node: ast.expr) -> float:
        """Return the value of an expression."""
        if self.value_dump and ast.dump(node) == self.value_dump:
            return self.value
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return float(number)
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.Name() | ast.Attribute() | ast.Subscript():
                if self.value_dump and any(ast.dump(part) == self.value_dump for part in ast.walk(node)):
                    return self.of(node.value) if isinstance(node, ast.Subscript) else self.default
                return self.default
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.of(operand)
            case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATORS:
                return _OPERATORS[type(operation)](self.of(left), self.of(right))
            case ast.Call(func=ast.Attribute(value=owner, attr=attribute), args=args, keywords=[]):
                function = _FUNCTIONS.get(attribute)
                if function is not None:
                    is_method = attribute in ("sum", "mean") and not args
                    return function(*map(self.of, [owner] if is_method else args))
            case ast.Call(func=ast.Name(id=name)) if name in self.functions and self.depth < _MOST_CALLS:
                return self._called(self.functions[name], node)
        raise _Unknown

    def _called(self, function: ast.FunctionDef, call: ast.Call) -> float:
        """Return the result of a user's function that has assignments and a return alone."""
        parameters = [*function.args.posonlyargs, *function.args.args]
        if function.args.vararg or function.args.kwarg or any(option.arg is None for option in call.keywords):
            raise _Unknown
        names = {
            parameter.arg: self.of(default)
            for parameter, default in zip(
                parameters[len(parameters) - len(function.args.defaults) :], function.args.defaults, strict=True
            )
        }
        names |= {parameter.arg: self.of(node) for parameter, node in zip(parameters, call.args, strict=False)}
        names |= {option.arg: self.of(option.value) for option in call.keywords if option.arg}
        for statement in function.body:
            inside = _Computation(self.default, self.functions, names, depth=self.depth + 1)
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    names[name] = inside.of(value)
                case ast.Return(value=ast.expr() as value):
                    return inside.of(value)
                case ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    raise _Unknown
        raise _Unknown
