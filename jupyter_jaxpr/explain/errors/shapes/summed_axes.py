"""Explains a tensordot whose summed axes have different sizes: the axes that `axes` names, with their sizes."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import integer_of, shape_of
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape

_DOT = re.compile(
    r"^dot_general requires contracting dimensions to have the same shape, got \(([\d, ]*)\) and \(([\d, ]*)\)"
)
_DEFAULT = 2  # tensordot sums over this many axes without the argument axes


def summed_axes_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains tensordot(a, b, axes=n) and tensordot(a, b, axes=(of_a, of_b))."""
    call = raised.node if raised is not None and raised.frame is not None else None
    match = _DOT.match(message_of(error).strip()) if isinstance(error, TypeError) else None
    if raised is None or match is None or not isinstance(call, ast.Call) or called(call) != "tensordot":
        return None
    if len(call.args) < 2:
        return None
    left, right = (_sizes(sizes) for sizes in match.groups())
    title = f"tensordot sums over axes of the sizes {left} and {right}, which must be equal"
    axes = passed_node(raised, "axes")
    number = _DEFAULT if axes is None else integer_of(raised, axes)
    explanation, words = "", "Name in axes for each array the axes to sum over, of the same sizes in the same order."
    cures = [FoundCure("axes", None, words)]
    if number is not None:
        written = f"axes={number}" if axes is not None else f"its default axes={number}"
        explanation = (
            f"With {written}, tensordot sums over the last axis of the first array and the first axis of the second."
            if number == 1
            else f"With {written}, tensordot sums over the last {number} axes of the first array and the first "
            f"{number} axes of the second, in this order."
        )
        cures = _named_axes(raised, call, axes, number) or cures
    types = operands(raised, call.args[:2])
    return Explained(None, title, f"{explanation} {types}".strip(), tuple(passed(raised, cures)))


def _named_axes(raised: RaisedAt, call: ast.Call, axes: ast.expr | None, number: int) -> list[FoundCure]:
    """Return the cure that names the axes of the second array with the sizes of the last axes of the first array.

    Empty if the sizes do not say which axes these are.
    """
    left, right = shape_of(raised, call.args[0]), shape_of(raised, call.args[1])
    if not left or right is None or not 0 < number <= len(left):
        return []
    of_left = tuple(range(len(left) - number, len(left)))
    sizes = [left[axis] for axis in of_left]
    if len(set(sizes)) != number or any(right.count(size) != 1 for size in sizes):
        return []
    of_right = tuple(right.index(size) for size in sizes)
    code = f"axes=({of_left}, {of_right})"
    words = f"Sum over the axes {of_left} of the first array and the axes {of_right} of the second."
    if number == 1:
        words = f"Sum over axis {of_left[0]} of the first array and axis {of_right[0]} of the second."
    cure = FoundCure("axes", code, words)
    if axes is None:
        text = f"{raised.source(call)[:-1].rstrip().rstrip(',')}, {code})"
        return [applied(cure, [edit_of(raised, over(call, text))])]
    is_by_name = any(keyword.value is axes for keyword in call.keywords)
    return [applied(cure, [edit_of(raised, over(axes, code.partition("=")[2] if is_by_name else code))])]


def _sizes(text: str) -> Shape:
    return tuple(map(int, re.findall(r"\d+", text)))
