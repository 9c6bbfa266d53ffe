"""Explains the operator ~ in front of an array of floats, such as a mask of zeros and ones."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt, touches_jax
from ..message_tables.jax_messages import NO_OPERATION_ON_BITS, OPERATORS_ON_BITS

_LONGEST = 60
_NOT_OF_FLOATS = re.compile(r"^not does not accept dtype (\w*float\w*)")


def inverted_floats_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains ~x of an array of floats, and names the operand as the code writes the operand."""
    match = _NOT_OF_FLOATS.match(message_of(error).strip()) if isinstance(error, TypeError) else None
    node = raised.node if raised is not None else None
    if match is None or raised is None or not touches_jax(error):
        return None
    if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.Invert):
        return None
    operand = raised.source(node.operand)
    if not isinstance(node.operand, ast.Name | ast.Call | ast.Subscript | ast.Attribute):
        operand = f"({operand})"
    code = f"{operand} == 0"
    is_enclosed = isinstance(raised.parents.get(id(node)), ast.Call | ast.Subscript | ast.Assign | ast.Return)
    shown = code if len(code) <= _LONGEST and "\n" not in code else "A comparison with 0"
    words = f"{shown} is true where the array is 0, as ~ of booleans is true where the array is False."
    edit = edit_of(raised, over(node, code if is_enclosed else f"({code})"))
    tried = passed(raised, [applied(FoundCure("== 0", code, words), [edit])])
    title = NO_OPERATION_ON_BITS.format(subject="The operator ~", dtype=match[1])
    text = " ".join(filter(None, [OPERATORS_ON_BITS, operands(raised, [node.operand])]))
    return Explained(None, title, text, tuple(tried or [FoundCure("== 0", None, words)]))
