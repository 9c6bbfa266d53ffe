"""Moves the new axis of an operand, so that a[:, None] - b[:, None] becomes a[:, None] - b[None, :]."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape, broadcasts

_MOVED = "{code} has its new axis at another place than {other}, so the operation combines all pairs of elements."


def moved_axis_cures(raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape]) -> list[FoundCure]:
    """Return the cure for two operands with a new axis at the same place: the right operand gets its at another place.

    Empty unless exactly one other place lets the rest of the code run.

    Args:
        raised: Where the error was raised.
        nodes: The operands.
        shapes: Their shapes.
    """
    if len(nodes) != 2 or not all(isinstance(node, ast.Subscript) for node in nodes):
        return []
    left, right = (_entries(node) for node in nodes)
    if left is None or right is None or _place(left) != _place(right) or len(left) != len(right):
        return []
    place = _place(right)
    others = [entry for number, entry in enumerate(right) if number != place]
    sizes = [size for number, size in enumerate(shapes[1]) if number != place]
    tried = []
    for moved in range(len(right)):
        shape = (*sizes[:moved], 1, *sizes[moved:])
        if moved == place or not broadcasts(shapes[0], shape):
            continue
        node = nodes[1]
        assert isinstance(node, ast.Subscript)
        entries = [*others[:moved], "None", *others[moved:]]
        code = f"{raised.source(node.value)}[{', '.join(entries)}]"
        words = _MOVED.format(code=code, other=raised.source(nodes[0]))
        tried += passed(raised, [applied(FoundCure("the new axis", code, words), [edit_of(raised, over(node, code))])])
    applies = [cure for cure in tried if cure.level == "applies"]
    return applies if len(applies) == 1 else []


def _entries(node: ast.expr) -> list[str] | None:
    """Return the code of the entries of an index such as [:, None, :]; None for an index of another form."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    entries = [ast.unparse(entry) for entry in index.elts] if isinstance(index, ast.Tuple) else []
    return entries if entries.count("None") == 1 and entries.count(":") == len(entries) - 1 else None


def _place(entries: Sequence[str]) -> int:
    return list(entries).index("None")
