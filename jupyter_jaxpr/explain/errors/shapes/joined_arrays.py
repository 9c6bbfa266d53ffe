"""Finds cures for arrays that concatenate cannot join: a new axis, or a broadcast along an axis of size 1."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import integer_of, shape_of
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import shapes_of_operands
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape
from .created_arrays import created_array

_JOINING = frozenset({"concatenate", "concat", "append", "vstack", "hstack"})


def join_cures(raised: RaisedAt | None, shapes: Sequence[Shape]) -> list[FoundCure]:
    """Return the cures for arrays that cannot be joined.

    Args:
        raised: Where the error was raised.
        shapes: The shapes in JAX's message.
    """
    rows = list(zip(*shapes, strict=False))
    different = [number for number, sizes in enumerate(rows) if len(set(sizes)) > 1]
    words = "Cut, pad or resize the arrays, so that only the sizes of the joined axis differ."
    has_other_axis = len(different) == 1 and len(set(map(len, shapes))) == 1
    if has_other_axis:
        axis = different[0]
        words = f"The sizes differ only along axis {axis}. Join the arrays along this axis, or cut or pad the arrays."
        if raised is not None and called(raised.node) not in _JOINING:
            words = f"Cut or pad the arrays to equal sizes along axis {axis}."
    other = FoundCure("axis", None, words)
    if raised is not None and (created := created_array(raised, shapes, _joined_axis(raised, len(rows)))) is not None:
        return [created]
    repeated = _repeated(raised, shapes, may_apply=not has_other_axis) if raised is not None else None
    if repeated is not None and repeated.level == "applies":
        return [repeated]
    return [other] if repeated is None else [other, repeated]


def new_axis_cures(raised: RaisedAt | None, shapes: Sequence[Shape]) -> list[FoundCure]:
    """Return the cures for arrays with different numbers of axes: a new axis in the arrays that lack one.

    The cure has an edit only if all axes then have equal sizes, except the axis along which the arrays are joined.

    Args:
        raised: Where the error was raised.
        shapes: The shapes in JAX's message.
    """
    other = FoundCure("[None]", None, "Add an axis to the array that has fewer axes, for example with y[None].")
    call = raised.node if raised is not None else None
    most = max(map(len, shapes), default=0)
    nodes = call.args[0].elts if isinstance(call, ast.Call) and call.args and _is_display(call.args[0]) else []
    joined = _joined_axis(raised, most) if raised is not None else None
    if raised is None or joined is None or called(call) not in ("concatenate", "concat") or len(nodes) != len(shapes):
        return [other]
    if not 0 <= joined < most or any(isinstance(node, ast.Starred) for node in nodes):
        return [other]
    widened = [(*shape[:joined], 1, *shape[joined:]) if len(shape) == most - 1 else shape for shape in shapes]
    if len({(*shape[:joined], *shape[joined + 1 :]) for shape in widened}) != 1 or set(map(len, widened)) != {most}:
        return [other]
    edits, codes = [], []
    for node, shape in zip(nodes, shapes, strict=True):
        if len(shape) == most:
            continue
        source = raised.source(node)
        index = ", ".join([*[":"] * joined, "None"])
        simple = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        code = f"{source if simple else f'({source})'}[{index}]"
        if type(value_of(raised, node)) in (int, float) or isinstance(node, ast.Constant):
            code = f"{jnp_name(raised)}.array([{source}])"
        codes.append(code)
        edits.append(edit_of(raised, over(node, code)))
    words = f"The new axis has the size 1. concatenate joins the arrays along axis {joined}."
    return passed(raised, [applied(FoundCure("a new axis", "\n".join(codes), words), edits)]) or [other]


def first_without_axes(raised: RaisedAt | None) -> list[FoundCure]:
    """Return the cures for a concatenate of a single number, which comes first, and vectors."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or not call.args or not _is_display(call.args[0]):
        return []
    shapes = [shape_of(raised, node) for node in call.args[0].elts[1:]]
    if not shapes or any(shape is None or len(shape) > 1 for shape in shapes) or not any(shapes):
        return []
    known = [(), *(shape for shape in shapes if shape is not None)]
    return [cure for cure in new_axis_cures(raised, known) if cure.code is not None]


def first_with_fewer_axes(raised: RaisedAt | None) -> tuple[list[Shape], list[FoundCure]] | None:
    """Return the shapes and the cures of a concatenate whose first array has fewer axes than another array.

    JAX's message names only the axis that the first array lacks. None for other calls, or if a shape is unknown.
    """
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or not call.args or not _is_display(call.args[0]):
        return None
    shapes = [shape_of(raised, node) for node in call.args[0].elts]
    known = [shape for shape in shapes if shape is not None]
    if called(call) not in ("concatenate", "concat") or len(known) != len(shapes) or not known:
        return None
    return (known, new_axis_cures(raised, known)) if len(known[0]) < max(map(len, known)) else None


def _is_display(node: ast.expr) -> TypeGuard[ast.List | ast.Tuple]:
    return isinstance(node, ast.List | ast.Tuple)


def _repeated(raised: RaisedAt, shapes: Sequence[Shape], may_apply: bool) -> FoundCure | None:
    """Return the cure `broadcast_to` for arrays with an axis of size 1 that is longer in another array.

    For an axis after the joined axis, such as color channels, the size 1 may be a mistake: the cure is advice then.
    """
    arrays = shapes_of_operands(raised)
    joined = _joined_axis(raised, len(shapes[0]) if shapes else 0)
    if joined is None or [shape for _, shape in arrays] != list(shapes) or len(set(map(len, shapes))) != 1:
        return None
    sources = [raised.source(node) for node, _ in arrays]
    edits, codes, sentences = [], [], []
    name = f"{jnp_name(raised)}.broadcast_to"
    for (node, shape), source in zip(arrays, sources, strict=True):
        axes = [k for k, size in enumerate(shape) if k != joined and size != max(other[k] for other in shapes)]
        if not axes:
            continue
        if any(shape[axis] != 1 for axis in axes):
            return None
        may_apply = may_apply and max(axes) < joined
        code = f"{name}({source}, ({_sizes(source, shape, axes, shapes, sources)}))"
        codes.append(code)
        edits.append(edit_of(raised, over(node, code)))
        sentences.append(f"{name} repeats {source} along {_listed(axes)}, where the size of {source} is 1.")
    cure = applied(FoundCure("broadcast_to", "\n".join(codes), " ".join(sentences)), edits)
    tried = next(iter(passed(raised, [cure])), None) if edits else None
    if tried is None or tried.code is None:
        return None
    return tried if may_apply else replace(cure, level="advice", edits=())


def _joined_axis(raised: RaisedAt, number_of_axes: int) -> int | None:
    """Return the axis along which the failing call joins its arrays; None if unknown."""
    call = raised.node
    word = called(call)
    if not isinstance(call, ast.Call) or word not in _JOINING:
        return None
    if word in ("vstack", "hstack"):
        return (0 if word == "vstack" else 1) if number_of_axes > 1 else None
    place = 2 if word == "append" else 1
    node = next((keyword.value for keyword in call.keywords if keyword.arg == "axis"), None)
    node = node or (call.args[place] if len(call.args) > place else None)
    axis = integer_of(raised, node) if node is not None else 0
    return axis + number_of_axes if axis is not None and axis < 0 else axis


def _sizes(source: str, shape: Shape, axes: Sequence[int], shapes: Sequence[Shape], sources: Sequence[str]) -> str:
    """Return the code of the shape for broadcast_to: axes of size 1 get the sizes that they have in other arrays."""
    entries = []
    for axis in range(max(axes) + 1):
        largest = max(other[axis] for other in shapes)
        of = next(name for name, other in zip(sources, shapes, strict=True) if other[axis] == largest)
        entries.append(f"{of}.shape[{axis}]" if axis in axes else f"{source}.shape[{axis}]")
    if max(axes) + 1 < len(shape):
        entries.append(f"*{source}.shape[{max(axes) + 1}:]")
    return ", ".join(entries) if len(entries) > 1 else f"{entries[0]},"


def _listed(axes: Sequence[int]) -> str:
    return f"axis {axes[0]}" if len(axes) == 1 else f"the axes {in_a_sentence([str(axis) for axis in axes], 4)}"
