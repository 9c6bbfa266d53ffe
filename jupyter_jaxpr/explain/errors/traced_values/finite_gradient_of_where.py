"""Rewrites a `where` so that its gradient is finite, or names the value that may make the gradient NaN.

jnp.where computes both values. Its gradient is NaN where the value that is not chosen has no finite gradient, such as
1 / b at b = 0: the gradient of that value is multiplied by 0, and 0 * inf is NaN. The cure is a second where, inside
the value: it replaces the operand where the gradient is not finite.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

#: Functions that have no value or no finite gradient at some operands, such as log at 0.
_PARTLY_DEFINED = frozenset(
    "log log2 log10 log1p sqrt rsqrt cbrt reciprocal arcsin asin arccos acos arccosh acosh arctanh atanh logit norm "
    "arctan2 atan2 hypot power pow float_power divide true_divide gammaln lgamma digamma xlogy".split()
)
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.NotEq: operator.ne,
    ast.Eq: operator.eq,
}
_NO_GRADIENT = (
    "The gradient may be NaN where {value} is not chosen: jnp.where multiplies the gradient of {value} by 0, and "
    "0 * inf is NaN. Replace the operands of {value} there with a second jnp.where."
)
_SECOND = "The inner jnp.where keeps the gradient finite where the outer jnp.where does not choose the value."


def finite_where(jnp: str, test: str, true_value: str, false_value: str) -> tuple[str, str, bool]:
    """Return the code of a where, a sentence on its gradient or "", and whether its gradient is certainly finite.

    Args:
        jnp: The name of jax.numpy in the user's code.
        test: The code of the condition.
        true_value: The code of the value where the condition is true.
        false_value: The code of the value where the condition is false.
    """
    values, sentence, is_finite = [], "", True
    for value, is_chosen in ((true_value, True), (false_value, False)):
        operands = list(risky_operands(ast.parse(value, mode="eval").body))
        if not operands:
            values.append(value)
            continue
        name = _guarded(test, is_chosen)
        if name is not None and all(isinstance(operand, ast.Name) and operand.id == name for operand in operands):
            safe_operand = f"{jnp}.where({test}, {name}, 1)" if is_chosen else f"{jnp}.where({test}, 1, {name})"
            values.append(_replaced(value, operands, safe_operand))
            sentence = sentence or _SECOND
        else:
            values.append(value)
            is_finite = False
            sentence = _NO_GRADIENT.format(value=value if len(value) <= 60 else "a value")
    return f"{jnp}.where({test}, {values[0]}, {values[1]})", sentence, is_finite


def risky_operands(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the operands, such as b in a / b, for some of whose values an operation has no finite gradient."""
    for part in ast.walk(node):
        match part:
            case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=right) if not _is_number(right):
                yield right
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                is_whole = isinstance(right, ast.Constant) and type(right.value) is int and right.value >= 1
                if not is_whole and not _is_number(left):
                    yield left
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[operand, *further_operands]) if (
                name in _PARTLY_DEFINED and not _is_number(operand)
            ):
                yield operand
                yield from further_operands


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value != 0


def _guarded(test: str, is_chosen: bool) -> str | None:
    """Return the name that a condition compares with a number.

    None unless the condition chooses the wanted value of the `where` when the name is 1: then 1 is a safe operand.
    """
    match ast.parse(test, mode="eval").body:
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=int() | float() as number)]):
            compare = _COMPARISONS.get(type(op))
            return name if compare is not None and compare(1, number) == is_chosen else None
        case ast.Compare(left=ast.Constant(value=int() | float() as number), ops=[op], comparators=[ast.Name(id=name)]):
            compare = _COMPARISONS.get(type(op))
            return name if compare is not None and compare(number, 1) == is_chosen else None
    return None


def _replaced(text: str, operands: list[ast.expr], new: str) -> str:
    """Return a line of code in which new code takes the place of some operands; positions count UTF-8 bytes."""
    data = text.encode()
    for node in sorted(operands, key=lambda operand: operand.col_offset, reverse=True):
        assert node.end_col_offset is not None
        data = data[: node.col_offset] + new.encode() + data[node.end_col_offset :]
    return data.decode()
