"""Explains an update of dynamic_update_slice that lacks an axis of the array, such as one step of a cache."""

from __future__ import annotations

import ast
import itertools
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of, type_of_slice
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.lax_messages import ADDED_AXES, AXES_OF_UPDATE
from .alignments import Shape

_RANKS = re.compile(r"^\w+ update must have the same rank as operand")
_MOST_AXES = 8


def update_axes_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an update with fewer axes than the array. The cure adds axes of size 1, if only one position fits."""
    call = raised.node if raised is not None else None
    if not isinstance(error, TypeError) or not _RANKS.search(message_of(error).strip()):
        return None
    if raised is None or not isinstance(call, ast.Call) or called(call) != "dynamic_update_slice":
        return None
    array, update = passed_node(raised, "operand"), passed_node(raised, "update")
    shapes = [shape_of(raised, node) if node is not None else None for node in (array, update)]
    if array is None or update is None or shapes[0] is None or shapes[1] is None:
        return None
    source = " ".join(raised.source(update).split())
    title = f"The update {source} has {count(len(shapes[1]), 'axis', 'axes')}, but the array has {len(shapes[0])}"
    text = f"{AXES_OF_UPDATE} {operands(raised, [array, update], type_of_slice)}"
    indices = _indices(shapes[1], shapes[0])
    if len(indices) != 1 or isinstance(update, ast.Starred):
        return Explained(None, title, text, (FoundCure(ADDED_AXES[0], None, ADDED_AXES[1]),))
    written = source if isinstance(update, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({source})"
    code = f"{written}{indices[0]}"
    words = (
        f"In an index, None adds an axis of size 1. {code} has as many axes as "
        f"{' '.join(raised.source(array).split())}."
    )
    cure = applied(FoundCure(indices[0], code, words), [edit_of(raised, over(update, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _indices(short: Shape, long: Shape) -> list[str]:
    """Return the indices, such as [:, None, :], that give an update as many axes as the array.

    On the axes that are not new, the sizes must be those of the array.
    """
    if not short or len(short) >= len(long) or len(long) > _MOST_AXES:
        return []
    found = []
    for places in itertools.combinations(range(len(long)), len(short)):
        if all(size == long[place] for size, place in zip(short, places, strict=True)):
            indices = [":" if axis in places else "None" for axis in range(len(long))]
            found.append(f"[{', '.join(indices)}]")
    return found
