"""Explains jnp.take_along_axis with indices that lack the axis of the array along which it takes elements."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import integer_of, shape_of
from ..failing_code.operand_nodes import operand_types
from ..failing_code.place_of_error import RaisedAt

_AXES = re.compile(r"^indices and arr must have the same number of dimensions; (\d+) vs\. (\d+)")
_TITLE = "{array} has {axes}, but its indices {indices} have {few}"
_WORDS = "{code} has the missing axis, and the index after the call removes this axis from the result."


def indices_along_axis_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains take_along_axis(probs, actions, axis=1) where actions has one index for each row."""
    match = _AXES.search(message_of(error).strip()) if isinstance(error, ValueError) else None
    call = raised.node if raised is not None else None
    if match is None or raised is None or not isinstance(call, ast.Call) or called(call) != "take_along_axis":
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    axis_node = named.get("axis") or (call.args[2] if len(call.args) > 2 else None)
    if len(call.args) < 2 or axis_node is None:
        return None
    array, indices = call.args[:2]
    shape, few, axis = shape_of(raised, array), shape_of(raised, indices), integer_of(raised, axis_node)
    if (
        shape is None
        or few is None
        or axis is None
        or not isinstance(indices, ast.Name | ast.Attribute | ast.Subscript)
    ):
        return None
    axis = axis % len(shape)
    if few != (*shape[:axis], *shape[axis + 1 :]):
        return None
    names = [" ".join(raised.source(node).split()) for node in (array, indices)]
    title = _TITLE.format(
        array=names[0],
        axes=count(len(shape), "axis", "axes"),
        indices=names[1],
        few=count(len(few), "axis", "axes"),
    )
    new = f"{names[1]}[{', '.join([':'] * axis + ['None'])}]"
    inside = raised.source(call)
    start = inside.index(raised.source(array)) + len(raised.source(array))
    code = inside[:start] + inside[start:].replace(raised.source(indices), new, 1)
    code = f"{code}[{', '.join([':'] * axis + ['0'])}]"
    cure = FoundCure(f"[{', '.join([':'] * axis + ['None'])}]", code, _WORDS.format(code=new))
    cures = passed(raised, [applied(cure, [edit_of(raised, over(call, code))])])
    return Explained(None, title, operand_types(raised), tuple(cures)) if cures else None
