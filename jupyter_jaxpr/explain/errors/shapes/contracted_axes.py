"""Finds the axes of equal sizes over which a call of dot_general can sum."""

from __future__ import annotations

import ast
from typing import Any

from ....interruptions import not_of_a_signal
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.operand_nodes import passed_node
from ..failing_code.place_of_error import RaisedAt

_EQUAL = (
    "Axis {axis} of {left} and axis {other_axis} of {right} both have {size} elements. The first entry of "
    "dimension_numbers names these axes."
)


def contracted_axes(raised: RaisedAt) -> FoundCure | None:
    """Return the cure that names the only two axes of equal sizes in dimension_numbers of dot_general.

    None if the code does not write the numbers, or if the operands have no such axes, or several.
    """
    left, right = passed_node(raised, "lhs"), passed_node(raised, "rhs")
    numbers = passed_node(raised, "dimension_numbers")
    shapes = [shape_of(raised, node) if node is not None else None for node in (left, right)]
    if left is None or right is None or not isinstance(numbers, ast.Tuple) or shapes[0] is None or shapes[1] is None:
        return None
    try:
        value: Any = ast.literal_eval(numbers)
        (summed, _), (batch, other_batch) = value
        if len(summed) != 1:
            return None
    except not_of_a_signal(ValueError, TypeError):
        return None
    pairs = [
        (axis, other_axis)
        for axis, size in enumerate(shapes[0])
        for other_axis, other_size in enumerate(shapes[1])
        if size == other_size and axis not in batch and other_axis not in other_batch
    ]
    if len(pairs) != 1:
        return None
    (axis, other_axis), names = pairs[0], [" ".join(raised.source(node).split()) for node in (left, right)]
    code = f"((({axis},), ({other_axis},)), {value[1]})"
    words = _EQUAL.format(axis=axis, left=names[0], other_axis=other_axis, right=names[1], size=shapes[0][axis])
    cure = applied(FoundCure("dimension_numbers", code, words), [edit_of(raised, over(numbers, code))])
    return next((tried for tried in passed(raised, [cure]) if tried.level == "applies"), None)
