"""Explains an array with several elements where Python needs a single number, as in `math.exp(x)` or `float(x)`."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax
from .calls_of_numpy_and_math import NumPyCalls

_SCALAR = re.compile(r"^Only scalar arrays can be converted to Python scalars; got arr\.ndim=(\d+)")
_FORMAT = re.compile(r"^unsupported format string passed to (?:\w+\.)*(?:ArrayImpl|ndarray)\.__format__")
_CONVERSIONS = frozenset({"float", "int", "complex"})


def single_number_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an array where Python needs a single number: in `math`, in a conversion, or in a format such as .3f."""
    if raised is None or raised.frame is None or not isinstance(error, TypeError):
        return None
    text = message_of(error).strip()
    if _FORMAT.search(text) and touches_jax(error):
        return _format(raised)
    match, call = _SCALAR.search(text), raised.node
    if match is not None and isinstance(call, ast.BinOp) and isinstance(call.left, ast.Constant | ast.JoinedStr):
        return _format(raised)
    if match is None or not isinstance(call, ast.Call):
        return None
    if NumPyCalls(raised).is_of_math(call):
        return _of_math(raised, call, int(match[1]))
    match call:
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _CONVERSIONS:
            return _conversion(raised, name, argument, int(match[1]))
    return None


def _of_math(raised: RaisedAt, call: ast.Call, axes: int) -> Explained:
    """Explains math.exp(x) of an array with axes: a function of jax.numpy computes each element."""
    name, mapped = raised.source(call.func), NumPyCalls(raised).of_math(call)
    title = f"{name} takes numbers, but gets an array with {_axes_text(axes)}"
    cures = []
    if mapped is not None:
        words = f"{mapped.name} computes each element of an array. {name} takes numbers."
        cures = passed(raised, [replace(mapped, text=words)])
    elif (words := _OTHERS.get(called(call), "")) != "":
        cures = [FoundCure("jax.numpy", None, words.format(jnp=jnp_name(raised)))]
    kinds = operands(raised, call.args) or "A function of math returns one number."
    return Explained(None, title, kinds, tuple(cures))


_OTHERS = {
    "pow": "x ** y computes each element. For integers, x ** y gives integers, but math.pow gives a float.",
    "isclose": "{jnp}.isclose compares each element. The default tolerances of {jnp}.isclose differ from those of "
    "math.isclose.",
}


def _axes_text(number: int) -> str:
    return "1 axis" if number == 1 else f"{number} axes"


def _conversion(raised: RaisedAt, name: str, argument: ast.expr, axes: int) -> Explained:
    """Explains float(x) of an array with axes; an array of one element has the method item."""
    source = " ".join(raised.source(argument).split())
    title = f"{name} takes one number, but gets an array with {_axes_text(axes)}"
    value = value_of(raised, argument)
    simple = isinstance(argument, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    if dtype_of(value) and getattr(value, "size", 0) == 1:
        code = f"{source if simple else f'({source})'}.item()"
        words = f"item takes the only element of {source}."
        cure = applied(FoundCure("item", code, words), [edit_of(raised, over(argument, code))])
        return Explained(None, title, operands(raised, [argument]), tuple(passed(raised, [cure])))
    array = source if simple and len(source) <= 40 else "x"
    place = ", ".join(["0"] * axes)
    words = f"Take one element, such as {name}({array}[{place}]), or reduce the array, such as {name}({array}.sum())."
    return Explained(None, title, operands(raised, [argument]), (FoundCure("one number", None, words),))


def _format(raised: RaisedAt) -> Explained | None:
    """Explains f"{x:.3f}", "%.3f" % x and "{:.3f}".format(x) of an array with axes: a format takes one number."""
    node = raised.node
    arrays: list[tuple[ast.expr, str]] = []
    for part in ast.walk(node) if node is not None else ():
        if isinstance(part, ast.FormattedValue) and isinstance(part.format_spec, ast.JoinedStr):
            spec = "".join(str(value.value) for value in part.format_spec.values if isinstance(value, ast.Constant))
            arrays.append((part.value, spec))
    if isinstance(node, ast.BinOp):
        parts = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        arrays += [(part, "") for part in parts]
    if isinstance(node, ast.Call):
        arrays = [(argument, "") for argument in node.args]
    certain = [pair for pair in arrays if getattr(value_of(raised, pair[0]), "ndim", 0)]
    found = certain or [pair for pair in arrays if not isinstance(pair[0], ast.Name | ast.Constant)]
    if len(certain or found) != 1:
        return Explained(None, "A format such as .3f takes one number, but gets an array", "", ())
    array, spec = found[0]
    source = " ".join(raised.source(array).split())
    title = f"A format takes one number, but {source} is an array with axes"
    if spec:
        title = f"The format {spec} takes one number, but {source} is an array with axes"
    words = (
        "Format one number, such as the mean of the array, or format the whole array without a number format such as "
        ".3f."
    )
    return Explained(None, title, operands(raised, [array]), (FoundCure("one number", None, words),))
