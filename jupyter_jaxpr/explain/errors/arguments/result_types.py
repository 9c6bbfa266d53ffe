"""Explains a shape or a dtype in the place of the type of a result: pallas_call and callbacks take both together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, chosen, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, type_of_new_array, value_of
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax

_NO_TYPE = re.compile(
    r"^Invalid out_shape type: <class '[\w.]+'>"
    r"|^'(?:int|tuple|list|str|type|\w*ScalarMeta|\w*[dD][tT]ype\w*)' object has no attribute '(?:dtype|shape)'"
    r"|^type object '\w+' has no attribute '(?:dtype|shape)'"
)
#: Function -> the option that takes the types of the results; the option is also the second argument by position.
_OPTIONS = {
    "pallas_call": "out_shape",
    "pure_callback": "result_shape_dtypes",
    "io_callback": "result_shape_dtypes",
}
_TYPE = "jax.ShapeDtypeStruct"
_NO_DTYPE = "{source} has no dtype."
_NO_SHAPE = "{source} has no shape."
_WORDS = "A jax.ShapeDtypeStruct holds the shape and the dtype of an array that does not exist yet."


def result_type_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains out_shape=(4,) of a pallas_call and pure_callback(f, x.shape, x), which need a shape and a dtype."""
    is_of_kind = isinstance(error, AttributeError | TypeError | ValueError) and was_raised_in_jax(error)
    if raised is None or raised.frame is None or not is_of_kind or not _NO_TYPE.match(message_of(error).strip()):
        return None
    for call in _calls(raised):
        option = _OPTIONS.get(called(call))
        named = [keyword.value for keyword in call.keywords if keyword.arg == option]
        node = next(iter(named or call.args[1:2]), None) if option is not None else None
        if node is None or option is None:
            continue
        kind = _kind(raised, node)
        if kind is None:
            return None
        source = " ".join(raised.source(node).split())
        title = f"{called(call)} needs the shape and the dtype of its result, but gets {source}"
        text = (_NO_DTYPE if kind == "shape" else _NO_SHAPE).format(source=source)
        return Explained(None, title, text, tuple(_cures(raised, call, node, kind)))
    return None


def _calls(raised: RaisedAt) -> Iterator[ast.Call]:
    """Yield the failing call, and the calls that made the called function, as in pallas_call(...)(x)."""
    node: ast.AST | None = raised.node
    while isinstance(node, ast.Call):
        yield node
        node = node.func


def _kind(raised: RaisedAt, node: ast.expr) -> str | None:
    """Return "shape" or "dtype" for the value of an expression; None for other values."""
    if _is_shape(raised, node):
        return "shape"
    if isinstance(node, ast.Attribute) and node.attr == "dtype":
        return "dtype"
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
    return "dtype" if name in _DTYPES else None


_DTYPES = frozenset(
    "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 bool_ complex64 float int bool".split()
)


def _is_shape(raised: RaisedAt, node: ast.expr) -> bool:
    value = value_of(raised, node)
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.Tuple | ast.List):
        sizes = [size.value if isinstance(size, ast.Constant) else value_of(raised, size) for size in node.elts]
        return all(
            type(size) is int or isinstance(part, ast.Subscript) for size, part in zip(sizes, node.elts, strict=True)
        )
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        return True
    return type(value) is int or (type(value) is tuple and all(type(size) is int for size in value))


def _cures(raised: RaisedAt, call: ast.Call, node: ast.expr, kind: str) -> list[FoundCure]:
    """Return the cure that writes a jax.ShapeDtypeStruct.

    For the result of a Pallas kernel, the trial uses the dtype of the kernel's first input. For a callback, the user
    must write the type, because a trial does not run the callback.
    """
    source = raised.source(node)
    is_number = isinstance(node, ast.Constant) or type(value_of(raised, node)) is int
    shape = f"({source},)" if kind == "shape" and is_number else source
    if called(call) != "pallas_call":
        code = f"{_TYPE}({shape}, DTYPE)" if kind == "shape" else f"{_TYPE}(SHAPE, {source})"
        words = f"{_WORDS} In place of SHAPE, write the shape of the value that the called function returns."
        if kind == "shape":
            words = f"{_WORDS} In place of DTYPE, write the dtype of the value that the called function returns."
        return [chosen(FoundCure(_TYPE, code, words), [edit_of(raised, over(node, code))])]
    outer = raised.parents.get(id(call))
    inputs = outer.args if isinstance(outer, ast.Call) and outer.func is call else []
    first = inputs[0] if inputs else None
    dtype = _dtype(raised, first) if first is not None else ""
    if kind != "shape" or not dtype:
        return [FoundCure(_TYPE, None, f"{_WORDS} Write {_TYPE}(shape, dtype), for example with x.shape and x.dtype.")]
    code = f"{_TYPE}({shape}, {dtype})"
    return passed(raised, [applied(FoundCure(_TYPE, code, _WORDS), [edit_of(raised, over(node, code))])])


def _dtype(raised: RaisedAt, node: ast.expr) -> str:
    """Return the code of an array's dtype, such as x.dtype or jnp.float32; empty if unknown."""
    if isinstance(node, ast.Name) and dtype_of(value_of(raised, node)):
        return f"{node.id}.dtype"
    short = type_of_new_array(raised, node).partition("[")[0]
    return f"{jnp_name(raised)}.{_LONG[short]}" if short in _LONG else ""


_LONG = {"f32": "float32", "i32": "int32", "f16": "float16", "bf16": "bfloat16", "f64": "float64", "bool": "bool_"}
