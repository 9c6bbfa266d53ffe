"""Explains a negative width of `jnp.pad`, with the values from which the code computes the width."""

from __future__ import annotations

import ast
import re
from typing import Any

from ....jax.transform_and_inputs_of_tracer import type_of
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....observe.user_or_library.whose_code import is_jax
from ....plain_text import file_of, message_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.expression_shapes import integer_of
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax

_NEGATIVE = re.compile(r"^index can't contain negative values")


def pad_width_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains jnp.pad(s, (0, n - len(s))) where s has more than n elements."""
    call = raised.node if raised is not None else None
    if not isinstance(error, ValueError) or _NEGATIVE.search(message_of(error)) is None or not touches_jax(error):
        return None
    if raised is None or raised.frame is None or not isinstance(call, ast.Call) or called(call) != "pad":
        return None
    written = next((keyword.value for keyword in call.keywords if keyword.arg == "pad_width"), None)
    widths = written if written is not None else call.args[1] if len(call.args) > 1 else None
    array, value = _array_of(error, raised, call)
    shapes = {array: tuple(value.shape)} if dtype_of(value) else {}
    parts = [part for part in ast.walk(widths) if isinstance(part, ast.expr)] if widths is not None else []
    entries = [part for part in parts if not isinstance(part, ast.Tuple | ast.List)]
    negative = [part for part in entries if (number := integer_of(raised, part, shapes)) is not None and number < 0]
    type_ = f"{array} is {type_of(value)}." if shapes and len(array) <= 40 else ""
    rule = "pad adds elements at the ends of an axis, so no width is negative."
    lengthen = FoundCure(
        "a width", None, "Write widths that are at least 0. To remove elements, take a slice of the array."
    )
    if not negative:
        return Explained(None, "A width of pad is negative", f"{rule} {type_}".strip(), (lengthen,))
    width = negative[0]  # `negative` has an expression before its parts, so its first entry is the whole width
    width_text = " ".join(raised.source(width).split())
    number = integer_of(raised, width, shapes)
    title = f"A width of pad is negative: {number}"
    if width_text != str(number):
        title = f"A width of pad is negative: {width_text} is {number}"
    values = [
        f"{raised.source(part)} is {number}"
        for part in (_parts(width) if isinstance(width, ast.BinOp) else [])
        if (number := integer_of(raised, part, shapes)) is not None and not isinstance(part, ast.Constant)
    ]
    listed = f"{in_a_sentence(list(dict.fromkeys(values)), 4)}." if values else ""
    match width:
        case ast.BinOp(left=target, op=ast.Sub(), right=length) if _is_length(length):
            name = raised.source(length.args[0] if isinstance(length, ast.Call) else length.value.value)  # type: ignore[attr-defined]  # `_is_length` accepts only these forms
            target_text = raised.source(target)
            longer = f"{name} has more than {target_text} elements."
            if isinstance(length, ast.Subscript):
                longer = f"{raised.source(length)} is larger than {target_text}."
            cut = _cut(raised, call, widths, width, name, value)
            explanation = " ".join(filter(None, [rule, listed, longer, type_]))
            return Explained(None, title, explanation, (cut or lengthen,))
    return Explained(None, title, " ".join(filter(None, [rule, listed, type_])), (lengthen,))


def _array_of(error: BaseException, raised: RaisedAt, call: ast.Call) -> tuple[str, Any]:
    """Return the code and the value of the array that a call pads.

    The value comes from the frame of jnp.pad: in a comprehension, the user's name may be gone.
    """
    node = call.args[0] if call.args else None
    traceback = error.__traceback__
    while traceback is not None:
        code, names = traceback.tb_frame.f_code, traceback.tb_frame.f_locals
        if code.co_name == "pad" and is_jax(file_of(code)) and "array" in names:
            return raised.source(node) if node is not None else "array", names["array"]
        traceback = traceback.tb_next
    return (raised.source(node), value_of(raised, node)) if node is not None else ("array", None)


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return the terms of a sum or a difference."""
    return [*_parts(node.left), *_parts(node.right)] if isinstance(node, ast.BinOp) else [node]


def _is_length(node: ast.expr) -> bool:
    """Return whether an expression is len(s), s.shape[0] or the like."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() | ast.Attribute() | ast.Subscript()]):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
    return False


def _cut(
    raised: RaisedAt, call: ast.Call, widths: ast.expr | None, width: ast.expr, name: str, value: Any
) -> FoundCure | None:
    """Return the advice to shorten the array before the padding.

    None unless the array has one axis and the width is like n - len(s).
    """
    match widths, width:
        case ast.Tuple(elts=[ast.Constant(value=0), end]), ast.BinOp(left=target) if end is width:
            pass
        case _:
            return None
    array = raised.source(call.args[0])
    if array != name or not dtype_of(value) or value.ndim != 1:
        return None
    if not isinstance(target, ast.Name | ast.Constant | ast.Attribute | ast.Subscript):
        return None
    end_text = raised.source(target)
    rest = [raised.source(part) for part in [*call.args[2:], *call.keywords]]
    arguments = ", ".join([f"{array}[:{end_text}]", f"(0, max(0, {raised.source(width)}))", *rest])
    code = f"{raised.source(call.func)}({arguments})"
    words = (
        f"{array}[:{end_text}] drops the elements after the first {end_text}. A larger {end_text} keeps all elements."
    )
    return FoundCure("a slice", code, words)
