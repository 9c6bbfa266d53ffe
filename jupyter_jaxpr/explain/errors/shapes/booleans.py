"""Explains the difference of two arrays of booleans, as in `(x > 0) - (y > 0)`."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ..explanation import Explained
from ..failing_code.operand_nodes import operand_nodes, operand_types, source_suffix
from ..failing_code.place_of_error import RaisedAt, touches_jax

_LONGEST = 30
_NO_BOOLEANS = re.compile(r"^sub(?:tract)? does not accept dtype bool")


def boolean_difference_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a - b of two arrays of booleans."""
    if not isinstance(error, TypeError) or not _NO_BOOLEANS.match(message_of(error).strip()) or not touches_jax(error):
        return None
    nodes = operand_nodes(raised)
    left, right = "a", "b"
    if raised is not None and len(nodes) == 2:
        left, right = (_enclosed(raised, node) for node in nodes)
    title = f"JAX does not subtract booleans{source_suffix(raised)}"
    code = f"{left} ^ {right}" if raised is not None and len(nodes) == 2 else None
    if max(len(left), len(right)) > _LONGEST:
        left, right = "a", "b"
    differing = f"{left} ^ {right} is true where the two differ."
    only_left = f"{left} & ~{right} is true where only {left} is true."
    words = f"{differing} {only_left} For -1, 0 and 1, convert both to integers with .astype(int)."
    return Explained(None, title, operand_types(raised), (FoundCure("^", code, words),))


def _enclosed(raised: RaisedAt, node: ast.expr) -> str:
    source = " ".join(raised.source(node).split())
    return source if isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute) else f"({source})"
