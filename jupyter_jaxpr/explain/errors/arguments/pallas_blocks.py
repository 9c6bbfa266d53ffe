"""Explains a grid of pallas_call that is no integer, and a BlockSpec with a wrong block shape or index map."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import Change, applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax
from ..message_tables.jax_messages import FLOAT_QUOTIENT

_GRID = re.compile(r"^'float' object is not subscriptable|^Grid must be a tuple of integers")
_NO_FUNCTION = re.compile(r"^'(\w+)' object is not callable")
_NO_SHAPE = re.compile(r"^'(function|int)' object is not iterable")
_NO_LIST = re.compile(r"^`(in|out)_specs` must be a tuple or a list")
_MAP = "An index map gets one index for each axis of the grid, and returns the number of the block along each axis."


def pallas_block_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains pallas_call(kernel, grid=4.0), BlockSpec((2,), 0), BlockSpec(2, f) and BlockSpec(f, (2,))."""
    if raised is None or raised.frame is None or not isinstance(error, TypeError | ValueError):
        return None
    if "pallas_call(" not in (raised.text or "") or not was_raised_in_jax(error):
        return None
    text = message_of(error).strip()
    if _GRID.search(text):
        return _grid(raised, _values_of_grid(error))
    if _NO_LIST.search(text):
        return _no_list(raised, f"{text.partition('_')[0].lstrip('`')}_specs")
    if (match := _NO_FUNCTION.search(text)) is not None:
        return _index_map(raised, match[1])
    if (match := _NO_SHAPE.search(text)) is not None:
        return _block_shape(raised, match[1])
    return None


def _call(raised: RaisedAt) -> ast.Call | None:
    """Return the call of pallas_call, which may be the function of the failing call."""
    node = raised.node.func if isinstance(raised.node, ast.Call) and called(raised.node) == "" else raised.node
    return node if isinstance(node, ast.Call) and called(node) == "pallas_call" else None


def _option(call: ast.Call | None, name: str) -> ast.expr | None:
    keywords = call.keywords if call is not None else []
    return next((keyword.value for keyword in keywords if keyword.arg == name), None)


def _values_of_grid(error: BaseException) -> list[Any]:
    """Return the values in the grid that JAX refused, from the frame that raised the error."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    grid = traceback.tb_frame.f_locals.get("grid") if traceback is not None else None
    return list(grid) if isinstance(grid, tuple | list) else [grid]


def _grid(raised: RaisedAt, values: list[Any]) -> Explained | None:
    grid = _option(_call(raised), "grid")
    wrong = [value for value in values if type(value) is float]
    if grid is None or len(wrong) != 1:
        return None
    wrong_size = wrong[0]
    title = f"The grid of a pallas_call takes integers, not the float {wrong_size}"
    text = f"The grid says how many steps the Pallas kernel runs along each axis. {FLOAT_QUOTIENT}"
    words = "Write // for a division, or pl.cdiv(n, size), which rounds up."
    parts = grid.elts if isinstance(grid, ast.Tuple | ast.List) else [grid]
    node = parts[values.index(wrong[0])] if len(parts) == len(values) else grid
    code = None
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            code = f"{raised.source(left)} // {raised.source(right)}"
        case ast.Constant():
            code = str(int(wrong[0]))
    cure = FoundCure("an integer", None, words)
    if code is not None and wrong[0] == int(wrong[0]):
        cure = applied(FoundCure("an integer", code, words), [edit_of(raised, over(node, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _no_list(raised: RaisedAt, name: str) -> Explained | None:
    specs = _option(_call(raised), name)
    if specs is None:
        return None
    code = f"[{raised.source(specs)}]"
    words = f"Pass a list as {name}, with one BlockSpec for each array, also for a single array."
    cure = applied(FoundCure("a list", code, words), [edit_of(raised, over(specs, code))])
    title = f"{name} of a pallas_call must be a list or a tuple"
    text = f"The list {name} of a pallas_call has one entry for each array."
    return Explained(None, title, text, tuple(passed(raised, [cure])) or (FoundCure("a list", None, words),))


def _blocks(raised: RaisedAt) -> Iterator[tuple[ast.expr | None, ast.expr | None]]:
    """Yield the block shape and the index map of each BlockSpec in the code."""
    for node in ast.walk(raised.loops.module) if raised.loops is not None else ():
        if isinstance(node, ast.Call) and called(node) == "BlockSpec":
            named = {keyword.arg: keyword.value for keyword in node.keywords}
            shape = node.args[0] if node.args else named.get("block_shape")
            yield shape, node.args[1] if len(node.args) > 1 else named.get("index_map")


def _value(raised: RaisedAt, node: ast.expr | None) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(node.elts)
    return value_of(raised, node) if node is not None else None


def _index_map(raised: RaisedAt, kind: str) -> Explained | None:
    maps = [index_map for _, index_map in _blocks(raised) if type(_value(raised, index_map)).__name__ == kind]
    if len(maps) != 1 or maps[0] is None:
        return None
    title = f"The index map of a BlockSpec must be a function, but the type of {raised.source(maps[0])} is {kind}"
    words = (
        "Write a function. For a grid with one axis and a block shape with one size, lambda i: (i,) takes block i in "
        "step i, and lambda i: (0,) takes the first block in each step."
    )
    place = edit_of(raised, over(maps[0], "")).place
    return Explained(place, title, _MAP, (FoundCure("index map", None, words),))


def _block_shape(raised: RaisedAt, kind: str) -> Explained | None:
    blocks = [(shape, index_map) for shape, index_map in _blocks(raised) if shape is not None]
    if kind == "function":
        pairs = [(shape, other) for shape, other in blocks if other is not None and _is_function(raised, shape)]
        if len(pairs) != 1:
            return None
        shape, other = pairs[0]
        changes: list[Change] = [over(shape, raised.source(other)), over(other, raised.source(shape))]
        words = "Pass the block shape as the first argument of BlockSpec, and the index map as the second argument."
        code = f"BlockSpec({raised.source(other)}, {raised.source(shape)})"
        title = "BlockSpec takes the block shape first, and then the index map"
    else:
        shapes = [shape for shape, _ in blocks if type(_value(raised, shape)) is int]
        if len(shapes) != 1:
            return None
        (shape,) = shapes
        code = f"({raised.source(shape)},)"
        changes = [over(shape, code)]
        words = "A block shape has one size for each axis of the array, also for one axis."
        title = f"The block shape of a BlockSpec is a tuple, but {raised.source(shape)} is an int"
    cure = applied(FoundCure("block shape", code, words), [edit_of(raised, change) for change in changes])
    place = edit_of(raised, over(shape, "")).place
    text = "pallas_call cuts an array into blocks of the block shape."
    return Explained(place, title, text, tuple(passed(raised, [cure])) or (FoundCure(cure.name, None, words),))


def _is_function(raised: RaisedAt, node: ast.expr) -> bool:
    return isinstance(node, ast.Lambda) or type(value_of(raised, node)).__name__ == "function"
