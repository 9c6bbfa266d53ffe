"""Finds the array of ones or zeros that has another size than the arrays beside it, and takes the size from them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import replacing
from ..failing_code.module_names import module_of
from ..failing_code.only_assignments import only_value
from ..failing_code.operand_nodes import shapes_of_operands
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape

_MAKERS = frozenset({"ones", "zeros", "full", "empty"})
_MADE = (
    "Line {line} makes {name} with the size {size} along axis {axis}: {code}. The size of {other} along this axis is "
    "{other_size}."
)
_TAKE = "Take the size from {other}."


class _Created(NamedTuple):
    """An operand that a call such as jnp.ones((n, 1)) makes: its expression, the call, and the sizes in the call."""

    node: ast.expr
    call: ast.Call
    sizes: list[ast.expr]


def created_array(raised: RaisedAt, shapes: Sequence[Shape], joined: int | None) -> FoundCure | None:
    """Return the cure that gives a new array the size of the arrays that the failing call joins with the new array.

    Args:
        raised: Where the error was raised.
        shapes: The shapes in JAX's message.
        joined: The axis along which the call joins the arrays.

    Returns:
        The cure; None unless exactly one array is such a new array, and only its size along one other axis differs.
    """
    arrays = shapes_of_operands(raised)
    if joined is None or [shape for _, shape in arrays] != list(shapes) or len(set(map(len, shapes))) != 1:
        return None
    found = [(place, created) for place, (node, _) in enumerate(arrays) if (created := _created(raised, node))]
    if len(found) != 1:
        return None
    ((place, created),) = found
    shape, others = shapes[place], [pair for number, pair in enumerate(arrays) if number != place]
    axes = [axis for axis in range(len(shape)) if axis != joined and any(s[axis] != shape[axis] for _, s in others)]
    if len(axes) != 1 or len(created.sizes) != len(shape) or len({s[axes[0]] for _, s in others}) != 1:
        return None
    (axis,) = axes
    other, other_shape = others[0]
    name, other_source = raised.source(created.node), raised.source(other)
    words = _MADE.format(
        line=created.call.lineno,
        name=name,
        size=shape[axis],
        axis=axis,
        code=" ".join(raised.source(created.call).split()),
        other=other_source,
        other_size=other_shape[axis],
    )
    take = _TAKE.format(other=other_source)
    advice = FoundCure("the size", None, f"{words} {take}")
    if not isinstance(other, ast.Name) or not _is_known_at(raised, other.id, created.call.lineno):
        return advice
    code = f"{other.id}.shape[{axis}]"
    cure = replacing(raised, created.sizes[axis], "the size", code, advice.text)
    return next((tried for tried in passed(raised, [cure]) if tried.level == "applies"), advice)


def _created(raised: RaisedAt, node: ast.expr) -> _Created | None:
    scope = raised.function or (raised.loops.module if raised.loops is not None else None)
    call = only_value(scope, node.id) if isinstance(node, ast.Name) else node
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module)), args=[shape, *_]) if called(call) in _MAKERS:
            if module_of(raised, module) in ("jax.numpy", "numpy"):
                return _Created(node, call, list(shape.elts) if isinstance(shape, ast.Tuple | ast.List) else [shape])
    return None


def _is_known_at(raised: RaisedAt, name: str, line: int) -> bool:
    """Return whether a name has its value already in a line, and gets no other value until the failing statement."""
    scope = raised.function or (raised.loops.module if raised.loops is not None else None)
    nodes = list(ast.walk(scope)) if scope is not None else []
    failing = raised.statement_of(raised.node)
    stores = [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name
        if raised.statement_of(node) is not failing
    ]
    is_parameter = any(isinstance(node, ast.arg) and node.arg == name for node in nodes)
    is_before = all(stored < line or stored > raised.place.line for stored in stores)
    return is_before and (is_parameter or any(stored < line for stored in stores))
