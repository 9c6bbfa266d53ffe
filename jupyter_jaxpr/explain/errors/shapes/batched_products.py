"""Explains a product of stacks of matrices whose leading axes (all but the last two) do not fit together."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt

_STACKS = re.compile(r"^Incompatible types for matmul arguments: \w+\[([\d,]+)\] and \w+\[([\d,]+)\]")
_AXES = (
    "A matrix product multiplies the last two axes. On each earlier axis the sizes must be equal, or a size must be 1."
)


def batched_product_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains `q @ k.T` with three axes: .T reverses all axes."""
    match = _STACKS.search(message_of(error).strip()) if isinstance(error, ValueError) else None
    if match is None:
        return None
    left, right = (f"({sizes.replace(',', ', ')})" for sizes in match.groups())
    title = f"The shapes {left} and {right} do not fit together"
    general = FoundCure(
        "the axes", None, "Give both arrays equal sizes on each axis before the last two axes, or the size 1."
    )
    nodes = _operands_of(raised)
    if raised is None or not isinstance(raised.node, ast.expr) or not nodes:
        return Explained(None, title, _AXES, (general,))
    if len(source := raised.source(raised.node)) <= 60:
        title = f"{title} in {source}"
    cures = passed(raised, [cure for node in nodes if (cure := _swapped(raised, node)) is not None])
    return Explained(None, title, f"{_AXES} {operands(raised, nodes)}".strip(), tuple(cures) or (general,))


def _operands_of(raised: RaisedAt | None) -> list[ast.expr]:
    match raised.node if raised is not None else None:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return [left, right]
        case ast.Call(args=[left, right, *_]):
            return [left, right]
    return []


def _swapped(raised: RaisedAt, node: ast.expr) -> FoundCure | None:
    """Return the cure .mT for an operand that ends with .T."""
    if not isinstance(node, ast.Attribute) or node.attr != "T":
        return None
    code = f"{raised.source(node.value)}.mT"
    words = ".T reverses all axes of an array. .mT swaps the last two axes."
    return applied(FoundCure(".mT", code, words), [edit_of(raised, over(node, code))])
