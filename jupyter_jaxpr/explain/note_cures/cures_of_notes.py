"""Makes the edit of a note's cure from the source code; none of this code runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TypeGuard

from ...jax.silent_type_and_value_changes import PromotedCarry
from ..loops.kinds_of_python_loops import Span
from ..notes.dropped_updates import updated_array
from .expressions_at_positions import Sketch, Text
from .key_split_cure import split_key
from .square_root_cure import out_of_root
from .where_gradient_cure import kept_out

_UPDATE = "The edited statement gives the new array the name of the old array. JAX does not change the old array."
_TYPE = "The edit does not change the result: JAX uses the type {taken} with the present code, too."
_CARRY = "With the edit, the carry begins with the type that the body returns, so JAX traces the body once."
_PRINT = "jax.debug.print prints at every call, and shows values in place of tracers."
_INITIAL = {"fori_loop": (3, "init_val"), "while_loop": (2, "init_val"), "scan": (1, "init")}
#: The names of the types in `jax.numpy`, such as `float32`, that convert a number: `jnp.float32(x)`.
_NUMBERS = re.compile(r"(bfloat|float|int|uint|complex)\d+")
_BRACES = re.compile(r"[{}]")


def sketch_of(kind: str, carry: PromotedCarry | None, text: Text, spans: Sequence[Span]) -> Sketch | None:
    """Return the edit that cures a note. None if the source code does not show what to edit.

    Args:
        kind: The kind of the note.
        carry: The carry whose type the edit changes; None if the note is about no carry.
        text: The source code that the note is about.
        spans: The positions of the expressions that the note is about; the last one is on the line of the note.
    """
    maker = MAKERS.get(kind)
    return None if maker is None or not spans else maker(carry, text, spans)


def _dropped_update(_carry: PromotedCarry | None, text: Text, spans: Sequence[Span]) -> Sketch | None:
    value = text.expression(spans[-1])
    if value is None:
        return None
    statement, array, function = text.statement(value), updated_array(value), text.function(value)
    if not isinstance(statement, ast.Expr) or not isinstance(array, ast.Name) or function is None:
        return None
    if not text.is_local(array.id, function):
        return None
    edit = text.over(value, f"{array.id} = {text.segment(value)}")
    return text.sketch("dropped_update", value, f"{array.id} = ...", _UPDATE, [edit])


def _truncated_type(_carry: PromotedCarry | None, text: Text, spans: Sequence[Span]) -> Sketch | None:
    expression = text.expression(spans[-1])
    if expression is None:
        return None
    written = [
        (node, wide_type) for node in ast.walk(expression) for wide_type in _NARROWED if _names_type(node, wide_type)
    ]
    if len(written) != 1:
        return None
    ((node, wide_type),) = written
    narrow_type = _NARROWED[wide_type]
    if isinstance(node, ast.Attribute):
        new = f"{text.segment(node.value)}.{narrow_type}"
    else:
        new = text.segment(node).replace(wide_type, narrow_type)
    sentence = _TYPE.format(taken=narrow_type)
    return text.sketch("truncated_type", expression, narrow_type, sentence, [text.over(node, new)])


#: Type of 64 bits -> the type that JAX uses in its place while jax_enable_x64 is off.
_NARROWED = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}


def _names_type(node: ast.AST, type_name: str) -> TypeGuard[ast.Attribute | ast.Constant]:
    if isinstance(node, ast.Attribute):
        return node.attr == type_name
    return isinstance(node, ast.Constant) and node.value == type_name


def _promoted_carry(carry: PromotedCarry | None, text: Text, spans: Sequence[Span]) -> Sketch | None:
    call, numpy = text.expression(spans[-1]), text.numpy_name()
    if not isinstance(call, ast.Call) or numpy is None or carry is None or not _NUMBERS.fullmatch(carry.dtype):
        return None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    position, keyword = _INITIAL.get(name, (-1, ""))
    carries = [argument.value for argument in call.keywords if argument.arg == keyword]
    carries += call.args[position : position + 1] if position >= 0 else []
    if len(carries) != 1 or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    parts = _parts(carries[0])
    if carry.leaf is None or len(parts) != carry.leaves or not _is_number(parts[carry.leaf]):
        return None  # the code does not show which of its numbers is the carry that the note is about
    number = parts[carry.leaf]
    new = f"{numpy}.{carry.dtype}({text.segment(number)})"
    return text.sketch("promoted_carry", call, "a carry whose type stays the same", _CARRY, [text.over(number, new)])


def _parts(initial: ast.expr) -> list[ast.expr]:
    """Return the innermost expressions of an initial carry that the code writes out, in the order of JAX's leaves."""
    if isinstance(initial, ast.Tuple | ast.List):
        return [part for element in initial.elts for part in _parts(element)]
    if isinstance(initial, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in initial.keys]
        if all(type(key) is str for key in keys):
            values = sorted(zip(map(str, keys), initial.values, strict=True), key=itemgetter(0))
            return [part for _, value in values for part in _parts(value)]
    return [] if isinstance(initial, ast.Constant) and initial.value is None else [initial]


def _is_number(part: ast.expr) -> bool:
    number = part.operand if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub) else part
    return isinstance(number, ast.Constant) and type(number.value) in (bool, int, float)


def _printed(_carry: PromotedCarry | None, text: Text, spans: Sequence[Span]) -> Sketch | None:
    (line, _), _ = spans[-1]
    calls = text.calls_on(line, "print")
    if len(calls) != 1 or calls[0].keywords or not calls[0].args or "jax" not in text.names():
        return None
    (call,) = calls
    written: list[str] = []
    values: list[str] = []
    for argument in call.args:
        parts = _printed_parts(argument, text)
        if parts is None:
            return None
        written.append(parts[0])
        values += parts[1]
    if not values:
        return None
    new = f"jax.debug.print({', '.join([repr(' '.join(written)), *values])})"
    return text.sketch("printed_while_tracing", call, "jax.debug.print", _PRINT, [text.over(call, new)])


def _printed_parts(argument: ast.expr, text: Text) -> tuple[str, list[str]] | None:
    """Return the format string for an argument of `print`, and the values for its braces.

    None if there is no such string.
    """
    if isinstance(argument, ast.Starred):
        return None
    if isinstance(argument, ast.Constant):
        return _BRACES.sub(r"\g<0>\g<0>", str(argument.value)), []
    if not isinstance(argument, ast.JoinedStr):
        return "{}", [text.segment(argument)]
    written, values = "", []
    for part in argument.values:
        if isinstance(part, ast.Constant):
            written += _BRACES.sub(r"\g<0>\g<0>", str(part.value))
        elif isinstance(part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None:
            written += "{}"
            values.append(ast.unparse(part.value))
        else:
            return None
    return written, values


#: The function that makes the edit, for each kind of note.
MAKERS: Mapping[str, Callable[[PromotedCarry | None, Text, Sequence[Span]], Sketch | None]] = {
    "dropped_update": _dropped_update,
    "truncated_type": _truncated_type,
    "promoted_carry": _promoted_carry,
    "printed_while_tracing": _printed,
    "key_used_twice": split_key,
    "masked_derivative": kept_out,
    "root_of_squares": out_of_root,
}
