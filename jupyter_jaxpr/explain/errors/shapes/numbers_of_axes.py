"""Explains a function for arrays with one or two axes, such as `convolve2d`, that gets an array with more axes."""

from __future__ import annotations

import ast
import re
import sys

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of, type_of_slice
from ..failing_code.module_names import namespace
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape

_AXES = re.compile(r"^(\w+)\(\) only supports? ([12])-dimensional inputs")
_ELEMENTS = {1: "row", 2: "image"}


def number_of_axes_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an array with more or fewer axes than a function accepts; the cure maps the function with vmap."""
    match = _AXES.search(message_of(error).strip()) if isinstance(error, ValueError) else None
    call = raised.node if raised is not None else None
    if match is None or raised is None or raised.frame is None or not isinstance(call, ast.Call):
        return None
    takes = int(match[2])
    shapes = [(node, shape_of(raised, node)) for node in call.args]
    arrays = [(node, shape) for node, shape in shapes if shape]
    others = [(node, shape) for node, shape in arrays if len(shape) != takes]
    if called(call) != match[1] or not others:
        return None
    node, shape = others[0]
    source = " ".join(raised.source(node).split())
    function_name = match[1]
    title = f"{function_name} takes arrays of {count(takes, 'axis', 'axes')}, but the array {source} has {len(shape)}"
    text = operands(raised, [node for node, _ in arrays], type_of_slice)
    if len(others) > 1 or len(shape) != takes + 1:
        words = f"Pass to {function_name} arrays of {count(takes, 'axis', 'axes')}."
        return Explained(None, title, text, (FoundCure("the axes", None, words),))
    kernel = next((shape for other, shape in arrays if other is not node), (1,) * takes)
    return Explained(None, title, text, tuple(_mapped(raised, call, node, shape, kernel)))


def _mapped(raised: RaisedAt, call: ast.Call, node: ast.expr, shape: Shape, kernel: Shape) -> list[FoundCure]:
    """Return the cure that maps the call with vmap over an axis of one argument."""
    source = raised.source(node)
    words = f"jax.vmap calls {called(call)} for each element of an axis of {source}."
    if namespace(raised).get("jax") is not sys.modules.get("jax"):
        return [FoundCure("jax.vmap", None, words)]
    axis = _axis_of_elements(shape, kernel)
    names = raised.module_names
    element = next(name for name in (_ELEMENTS[len(kernel)], "element", "element_") if name not in names)
    arguments = [element if argument is node else raised.source(argument) for argument in call.args]
    arguments += [raised.source(keyword) for keyword in call.keywords]
    axes = f", in_axes={axis}, out_axes={axis}" if axis else ""
    code = f"jax.vmap(lambda {element}: {raised.source(call.func)}({', '.join(arguments)}){axes})({source})"
    words = f"jax.vmap calls {called(call)} for each element of axis {axis or 0} of {source}."
    cure = FoundCure("jax.vmap", code, words)
    return passed(raised, [applied(cure, [edit_of(raised, over(call, code))])]) if axis is not None else [cure]


def _axis_of_elements(shape: Shape, kernel: Shape) -> int | None:
    """Return the axis that vmap must map: the first or the last.

    None if the sizes of the other axes do not decide which.
    """
    last = len(shape) - 1
    rests = {0: shape[1:], last: shape[:-1]}
    large = [axis for axis, rest in rests.items() if all(a >= b for a, b in zip(rest, kernel, strict=True))]
    if len(large) == 1:
        return large[0]
    square = [axis for axis in large if len(rests[axis]) > 1 and len(set(rests[axis])) == 1]
    return square[0] if len(square) == 1 else None
