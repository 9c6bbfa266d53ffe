"""Explains a dynamic slice with fewer start indices or sizes than its array has axes, such as an image with colours."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt

_FEW = re.compile(
    r"^Length of slice indices must match number of operand dimensions|^safe_map\(\) argument 2 is shorter than"
)
_WHOLE_AXES = (
    "{source} has the shape {shape}. With the start 0 and the size of the axis, the slice takes the whole of {axes}."
)
_FROM_ZERO = "{source} has the shape {shape}. The start 0 is the beginning of {axes}."
_ONE_EACH = "Write a start index and a size for each axis of {source}: 0 and the size of the axis take the whole axis."


def slice_starts_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains too few start indices or sizes. The cure adds the indices of the axes that the slice takes whole."""
    call = raised.node if raised is not None else None
    if raised is None or raised.frame is None or not isinstance(call, ast.Call):
        return None
    if called(call) not in ("dynamic_slice", "dynamic_update_slice") or not _FEW.search(message_of(error).strip()):
        return None
    is_update = called(call) == "dynamic_update_slice"
    array, starts = passed_node(raised, "operand"), passed_node(raised, "start_indices")
    sizes = None if is_update else passed_node(raised, "slice_sizes")
    shape = shape_of(raised, array) if array is not None else None
    if array is None or shape is None or not isinstance(array, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        return None
    source = " ".join(raised.source(array).split())
    numbers = [
        count(len(node.elts), *words)
        for words, node in ((("start index", "start indices"), starts), (("size",), sizes))
        if isinstance(node, ast.Tuple | ast.List)
    ]
    title = f"{called(call)} gets {in_a_sentence(numbers)}, but {source} has {count(len(shape), 'axis', 'axes')}"
    if len(numbers) < 2 - is_update:
        title = f"{called(call)} needs one start index for each axis of {source}, which has the shape {shape}"
    text = operands(raised, [array])
    cures = [cure for first in (False, True) for cure in _added(raised, array, starts, sizes, shape, at_front=first)]
    if len(cures) > 1 and cures[0].code == cures[1].code:
        cures = cures[:1]
    if len(cures) > 1:  # only the user knows which axes the indices belong to
        cures = [replace(cure, level="advice", edits=()) for cure in cures]
    return Explained(None, title, text, tuple(cures) or (FoundCure("starts", None, _ONE_EACH.format(source=source)),))


def _added(
    raised: RaisedAt,
    array: ast.expr,
    starts: ast.expr | None,
    sizes: ast.expr | None,
    shape: tuple[int, ...],
    *,
    at_front: bool,
) -> list[FoundCure]:
    """Return the cure that adds the indices of the last axes, or of the first axes; empty if its trial fails."""
    source, changes, added = raised.source(array), [], set[int]()
    for node, is_start in ((starts, True), (sizes, False)):
        if node is None and not is_start:
            continue
        if not isinstance(node, ast.Tuple | ast.List) or any(isinstance(part, ast.Starred) for part in node.elts):
            return []
        lacking = len(shape) - len(node.elts)
        axes = range(lacking) if at_front else range(len(node.elts), len(shape))
        new = ["0" if is_start else f"{source}.shape[{axis}]" for axis in axes]
        written = [raised.source(part) for part in node.elts]
        parts = [*new, *written] if at_front else [*written, *new]
        code = f"({', '.join(parts)})" if isinstance(node, ast.Tuple) else f"[{', '.join(parts)}]"
        changes += [over(node, code)] if new else []
        added |= set(axes)
    axes_text = in_a_sentence([f"axis {axis}" for axis in sorted(added)], 4)
    is_whole = sizes is not None and any(change[0] is sizes for change in changes)
    template = _WHOLE_AXES if is_whole else _FROM_ZERO
    words = template.format(source=source, shape=shape, axes=axes_text)
    edits = [edit_of(raised, change) for change in changes]
    tried = passed(raised, [applied(FoundCure("starts", ", ".join(edit.text for edit in edits) or None, words), edits)])
    return [cure for cure in tried if cure.level == "applies"]
