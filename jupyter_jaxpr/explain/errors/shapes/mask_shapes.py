"""Explains a boolean index whose length does not fit the axis that the index selects from."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.call_messages import MASK_OF_ARRAY

_NO_FIT = re.compile(
    r"^boolean index did not match shape of indexed array in index 0: got \((\d+),?\), expected \[\d+\]"
)


def mask_shape_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains x[mask] with a mask of one axis; the cure selects along the axis that has the length of the mask."""
    match = _NO_FIT.match(message_of(error).strip()) if isinstance(error, IndexError) else None
    node = _indexed(raised)
    if match is None or raised is None or node is None or isinstance(node.slice, ast.Tuple):
        return None
    array = node.value
    if isinstance(array, ast.Attribute) and array.attr == "at":
        array = array.value
    shape, length = shape_of(raised, array), int(match[1])
    if not shape or shape[0] == length:
        return None
    source, mask = (" ".join(raised.source(part).split()) for part in (array, node.slice))
    elements = count(shape[0], "element")
    title = f"{mask} has {count(length, 'element')}, but axis 0 of {source} has {elements}"
    if len(title) > 100:
        title = f"A mask of {count(length, 'element')} does not fit axis 0, which has {elements}"
    text = f"A mask of one axis selects along axis 0. {operands(raised, [array, node.slice])}".strip()
    axes = [axis for axis, size in enumerate(shape) if size == length]
    if len(axes) != 1:
        return Explained(None, title, text, (FoundCure(MASK_OF_ARRAY[0], None, MASK_OF_ARRAY[1]),))
    code = f"{raised.source(node.value)}[{':, ' * axes[0]}{raised.source(node.slice)}]"
    words = f"Axis {axes[0]} has {count(length, 'element')}, as many as the mask."
    cure = applied(FoundCure(f"axis {axes[0]}", code, words), [edit_of(raised, over(node, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _indexed(raised: RaisedAt | None) -> ast.Subscript | None:
    """Return the expression with the index, such as x[mask], or x.at[mask] in x.at[mask].set(y)."""
    match raised.node if raised is not None else None:
        case ast.Subscript() as node:
            return node
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")) as node)):
            return node
    return None
