"""Finds cures for arrays of different sizes that cannot be stacked: cut the longer arrays, or join all arrays."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over, shown
from ..failing_code.expression_shapes import shape_of
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape


def stack_cures(raised: RaisedAt | None) -> list[FoundCure]:
    """Return the advice for a stack of arrays whose sizes differ, with the code that passed its trial.

    The cures are no edits: only the user knows whether the longer arrays have too many elements.
    """
    general = FoundCure("same shape", None, "Cut or pad the arrays to one shape.")
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or not call.args or called(call) not in ("stack", "array"):
        return [general]
    listed = call.args[0]
    nodes = listed.elts if isinstance(listed, ast.List | ast.Tuple) else []
    shapes = [shape_of(raised, node) for node in nodes]
    known = [shape for shape in shapes if shape is not None]
    cut = _cut(raised, nodes, known) if nodes and len(known) == len(nodes) else None
    tried = passed(raised, [*([cut] if cut is not None else []), *_joined(raised, call)])
    fitting = [replace(shown(cure), level="advice", edits=()) for cure in tried if cure.level == "applies"]
    is_cut = any(cure.name == "one size" for cure in fitting)
    return fitting if is_cut else [general, *fitting]


def _cut(raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape]) -> FoundCure | None:
    """Return the cure that cuts arrays along axis 0 to the smallest size; None if other sizes differ, too."""
    simple = all(isinstance(node, ast.Name | ast.Attribute | ast.Subscript) for node in nodes)
    if not simple or not all(shapes) or len({shape[1:] for shape in shapes}) != 1:
        return None
    least = min(shape[0] for shape in shapes)
    shortest = next(node for node, shape in zip(nodes, shapes, strict=True) if shape[0] == least)
    longer = [node for node, shape in zip(nodes, shapes, strict=True) if shape[0] > least]
    if not longer:
        return None
    size = f"{raised.source(shortest)}.shape[0]"
    edits = [edit_of(raised, over(node, f"{raised.source(node)}[:{size}]")) for node in longer]
    words = (
        f"{raised.source(shortest)} has the fewest elements along axis 0: {least}. This code leaves out the later "
        "elements of the other arrays. To keep all elements, make arrays of one size, for example with "
        f"{jnp_name(raised)}.pad."
    )
    return applied(FoundCure("one size", "", words), edits)


def _joined(raised: RaisedAt, call: ast.Call) -> list[FoundCure]:
    """Return the cure that joins the arrays one after the other in place of a stack."""
    if called(call) != "stack" or call.keywords or len(call.args) != 1:
        return []
    name = f"{jnp_name(raised)}.concatenate"
    words = f"{name} joins the arrays one after the other, without a new axis."
    return [applied(FoundCure(name, name, words), [edit_of(raised, over(call.func, name))])]
