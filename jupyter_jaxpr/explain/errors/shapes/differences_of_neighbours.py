"""Explains x[1:] - x[:-1] beside x: the differences of neighbours are one element fewer than the array."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import leaves_of, made_of, shape_of
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape

_APPENDED = (
    "{code} has {size} elements, as {array} has: the last element is 0, and the others are the differences of "
    "neighbours."
)
_CENTRAL = (
    "{code} has {size} elements, as {array} has: the mean of the differences to both neighbours, and at the ends the "
    "difference to the only neighbour."
)
_CUT = "{code} leaves out the first element of {array}, so the result has {size} elements."


def difference_cures(raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape]) -> list[FoundCure]:
    """Return the advice for an array beside the differences of its neighbours; each passes its trial.

    Args:
        raised: Where the error was raised.
        nodes: The operands of the failing operation.
        shapes: The shapes of the operands.
    """
    if len(nodes) != 2 or [len(shape) for shape in shapes] != [1, 1]:
        return []
    (short_node, short), (long_node, long) = sorted(zip(nodes, shapes, strict=True), key=lambda pair: pair[1])
    if long[0] - short[0] != 1:
        return []
    found = [pair for made in made_of(raised, short_node) for part in ast.walk(made) if (pair := _difference(part))]
    if len(found) != 1 or shape_of(raised, found[0][1]) != long:
        return []
    difference, array = found[0]
    source, jnp = raised.source(array), jnp_name(raised)
    appended, central = f"{jnp}.diff({source}, append={source}[-1:])", f"{jnp}.gradient({source})"
    names = {"array": source, "size": long[0]}
    candidates = [
        (difference, "jnp.diff", appended, _APPENDED.format(code=appended, **names)),
        (difference, "jnp.gradient", central, _CENTRAL.format(code=central, **names)),
    ]
    kinds = ast.Name | ast.Attribute | ast.Subscript
    parts = [leaf for leaf in leaves_of(long_node) if isinstance(leaf, kinds) and shape_of(raised, leaf) == long]
    if len(parts) == 1:
        cut = f"{raised.source(parts[0])}[1:]"
        words = _CUT.format(code=cut, array=raised.source(parts[0]), size=short[0])
        candidates.append((parts[0], "the same elements", cut, words))
    cures = [
        applied(FoundCure(name, code, text), [edit_of(raised, over(node, code))])
        for node, name, code, text in candidates
    ]
    # Only the user knows which of the results is meant.
    return [replace(tried, level="advice", edits=()) for tried in passed(raised, cures) if tried.level == "applies"]


def _difference(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return an expression x[1:] - x[:-1] or jnp.diff(x), and its array x; None for any other node."""
    match node:
        case ast.BinOp(
            left=ast.Subscript(value=left, slice=ast.Slice() as later),
            op=ast.Sub(),
            right=ast.Subscript(value=right, slice=ast.Slice() as earlier),
        ) if (ast.unparse(later), ast.unparse(earlier)) == ("1:", ":-1") and ast.unparse(left) == ast.unparse(right):
            return node, left
        case ast.Call(args=[array], keywords=[]) if called(node) == "diff":
            return node, array
    return None
