"""Finds cures for arrays that concatenate cannot join: another axis, or a copy of an array along an axis of size 1."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ...observe.observation import FoundCure
from ...quantities import in_a_sentence
from .alignments import Shape
from .constructs import called
from .edits import applied, edit_of, over
from .expression_shapes import integer_of
from .names import jnp_name
from .operand_nodes import shapes_of_operands
from .raised import RaisedAt
from .trial_of_cure import passed

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
        words = f"The sizes differ along axis {different[0]} alone. Join along this axis, or cut and pad the arrays."
    other = FoundCure("axis", None, words)
    repeated = _repeated(raised, shapes, may_apply=not has_other_axis) if raised is not None else None
    if repeated is not None and repeated.level == "applies":
        return [repeated]
    return [other] if repeated is None else [other, repeated]


def _repeated(raised: RaisedAt, shapes: Sequence[Shape], may_apply: bool) -> FoundCure | None:
    """Return the cure broadcast_to for arrays that have the size 1 where another array has more elements.

    An axis behind the joined axis, such as that of colors, may have the size 1 for another reason.
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
    """Return the code of the sizes of an array whose axes of size 1 get the sizes of other arrays."""
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
