"""Finds the one operand of a product of two matrices whose transpose lets JAX trace the rest of the function."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.place_of_error import RaisedAt

_FITS = "{code} has the shape {shape}, so the product sums over {size} elements of both operands."

_EITHER = (
    "With {left} as the left operand, the product has the shape {one}. With {right} as the right operand, the product "
    "has the shape {other}."
)


def transposed_operand(raised: RaisedAt) -> FoundCure | None:
    """Return the cure that transposes an operand of a product of matrices, such as pts.T @ R for pts @ R.

    None if neither operand fits so and passes its trial; advice if both do.
    """
    operands = _operands(raised.node)
    shapes = [shape_of(raised, node) for node in operands]
    left, right = shapes if len(shapes) == 2 else (None, None)
    if left is None or right is None or not len(left) == len(right) == 2:
        return None
    fitting = []
    for node, shape, size, fits in (
        (operands[0], left, right[0], left[0] == right[0]),
        (operands[1], right, left[1], right[1] == left[1]),
    ):
        is_simple = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        if fits and is_simple:
            source = raised.source(node)
            code = source[:-2] if isinstance(node, ast.Attribute) and node.attr == "T" else f"{source}.T"
            words = _FITS.format(code=code, shape=shape[::-1], size=size)
            fitting.append(applied(FoundCure(".T", code, words), [edit_of(raised, over(node, code))]))
    tried = [cure for cure in passed(raised, fitting) if cure.level == "applies"]
    if len(tried) == 2:
        words = _EITHER.format(
            left=tried[0].code, right=tried[1].code, one=(left[1], right[1]), other=(left[0], right[0])
        )
        return FoundCure(".T", None, words)
    return tried[0] if tried else None


def _operands(node: ast.AST | None) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return [left, right]
        case ast.Call(args=[left, right], keywords=[]) if called(node) in ("dot", "matmul"):
            return [left, right]
    return []
