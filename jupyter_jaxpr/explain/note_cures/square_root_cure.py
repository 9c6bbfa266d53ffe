"""Makes the edit for a square root of squares whose gradient is NaN at 0: 1 stands below the root in place of 0."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...jax.silent_type_and_value_changes import PromotedCarry
from ...observe.observation import Edit
from ..loops.kinds_of_python_loops import Span
from .expressions_at_positions import Sketch, Text

_OUT_OF_ROOT = (
    "In the edited code, 1 stands below the root where the sum of the squares is 0, so the derivative of the root is "
    "finite."
)
_COMPARES_SUM = "The comparison with 0 reads the sum, as the root is 1 there."
_NAME = "a selection below the root"


def out_of_root(_carry: PromotedCarry | None, text: Text, spans: Sequence[Span]) -> Sketch | None:
    """Return the edit that keeps 0 out of a square root, such as `jnp.sqrt(jnp.where(s > 0, s, 1))`.

    If the code divides by the root only below a comparison of the root with 0, as in `jnp.where(d > 0, x / d, 0)`, the
    comparison reads the sum of the squares. If the code does not divide by the root, the new root is 0 as before.
    """
    call = text.expression(spans[-1])
    parts = None if not isinstance(call, ast.Call) else _sum_below(call, text)
    function = None if call is None else text.function(call)
    statement = None if call is None else text.statement(call)
    if call is None or parts is None or not isinstance(function, ast.FunctionDef) or statement is None:
        return None
    numpy, squares = parts
    name = text.free("s")
    finite = f"{numpy}.sqrt({numpy}.where({name} > 0, {name}, 1))"
    kept = f"{numpy}.where({name} > 0, {finite}, 0)"
    first = text.before(statement, f"{name} = {squares}")
    match statement:
        case ast.Assign(targets=[ast.Name(id=root)], value=value) if value is call:
            pass
        case _:
            if _is_divisor(call, text):
                return None
            return text.sketch("root_of_squares", call, _NAME, _OUT_OF_ROOT, [first, text.over(call, kept)])
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == root]
    reads = [node for node in names if isinstance(node.ctx, ast.Load)]
    if len(names) != len(reads) + 1:
        return None
    compared = [node for node in reads if _is_compared_with_zero(node, text)]
    others = [node for node in reads if not any(node is other for other in compared)]
    if not compared:
        if any(_is_divisor(node, text) for node in others):
            return None
        return text.sketch("root_of_squares", call, _NAME, _OUT_OF_ROOT, [first, text.over(call, kept)])
    if not all(_is_below_comparison(node, compared, text) for node in others):
        return None
    edits: list[Edit] = [first, text.over(call, finite), *(text.over(node, name) for node in compared)]
    return text.sketch("root_of_squares", call, _NAME, f"{_OUT_OF_ROOT} {_COMPARES_SUM}", edits)


def _sum_below(call: ast.Call, text: Text) -> tuple[str, str] | None:
    """Return the name of jax.numpy and the code of the sum of squares below a root; None for another call."""
    function = ast.unparse(call.func)
    if len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        return None
    argument = text.segment(call.args[0])
    if function.endswith(".linalg.norm"):
        options = [f", {option.arg}={text.segment(option.value)}" for option in call.keywords]
        if any(option.arg not in ("axis", "keepdims") for option in call.keywords):
            return None
        base = argument if isinstance(call.args[0], ast.Name | ast.Attribute | ast.Call) else f"({argument})"
        numpy = function.removesuffix(".linalg.norm")
        return numpy, f"{numpy}.sum({base} ** 2{''.join(options)})"
    if function.endswith(".sqrt") and not call.keywords:
        return function.removesuffix(".sqrt"), argument
    return None


def _is_divisor(node: ast.expr, text: Text) -> bool:
    """Return whether code divides by a value or by an expression of it, or raises it to a power."""
    inner: ast.AST = node
    for outer in text.around(node):
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Div | ast.Pow) and outer.right is inner:
            return True
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Pow) and not isinstance(outer.right, ast.Constant):
            return True
        if not isinstance(outer, ast.expr):
            return False
        inner = outer
    return False


def _is_compared_with_zero(node: ast.expr, text: Text) -> bool:
    match next(iter(text.around(node)), None):
        case ast.Compare(left=left, ops=[ast.Gt() | ast.NotEq() | ast.Eq()], comparators=[ast.Constant(value=number)]):
            return left is node and number == 0
    return False


def _is_below_comparison(node: ast.expr, compared: Sequence[ast.expr], text: Text) -> bool:
    """Return whether a `where` chooses an expression only if the compared root is not 0."""
    inner: ast.AST = node
    for outer in text.around(node):
        match outer:
            case ast.Call(func=ast.Attribute(attr="where"), args=[ast.Compare(left=left, ops=[kind]), chosen, other]):
                is_compared = any(left is root for root in compared)
                if is_compared and inner is (other if isinstance(kind, ast.Eq) else chosen):
                    return True
        inner = outer
    return False
