"""Explains h ^ x, h & x and h | x of an array of integers and an array of floats, and converts the floats."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax
from ..message_tables.jax_messages import NO_OPERATION_ON_BITS, OPERATORS_ON_BITS

_OF_FLOATS = re.compile(r"^(?:xor|and|or) does not accept dtype (\w*float\w*)")
_SUBJECTS: dict[type[ast.operator], str] = {
    ast.BitXor: "The operator ^",
    ast.BitAnd: "The operator &",
    ast.BitOr: "The operator |",
}


def bits_of_floats_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an operator on bits between integers and floats; None if the code does not show both operands."""
    match = _OF_FLOATS.match(message_of(error).strip()) if isinstance(error, TypeError) else None
    node = raised.node if raised is not None else None
    if match is None or raised is None or not touches_jax(error) or not isinstance(node, ast.BinOp):
        return None
    subject = _SUBJECTS.get(type(node.op))
    dtypes = [dtype_of(value_of(raised, operand)) for operand in (node.left, node.right)]
    integers = [dtype for dtype in dtypes if dtype.startswith(("int", "uint"))]
    floats = [
        operand
        for operand, dtype in zip((node.left, node.right), dtypes, strict=True)
        if dtype.startswith(("float", "bfloat"))
    ]
    if subject is None or len(integers) != 1 or len(floats) != 1:
        return None
    name = raised.source(floats[0])
    code = f"{name}.astype({jnp_name(raised)}.{integers[0]})"
    words = f"Convert {name} to integers. The conversion drops the fractions: 1.5 becomes 1."
    tried = passed(raised, [applied(FoundCure("an integer", code, words), [edit_of(raised, over(floats[0], code))])])
    # Only the user knows whether the fractions matter, so no edit is offered.
    cures = [replace(cure, level="advice", edits=()) for cure in tried]
    text = " ".join(filter(None, [OPERATORS_ON_BITS, operands(raised, [node.left, node.right])]))
    return Explained(None, NO_OPERATION_ON_BITS.format(subject=subject, dtype=match[1]), text, tuple(cures))
