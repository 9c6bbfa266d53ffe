"""Finds the cure for slices of one array of which exactly one has another length, as in u[2:] + u[:-2] - u[1:]."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of_slice
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt


def stencil_cure(raised: RaisedAt, leaves: Sequence[ast.expr]) -> list[FoundCure]:
    """Return the cure that moves a bound of the only slice whose length differs from the length of the other slices.

    Args:
        raised: Where the error was raised.
        leaves: The operands of the failing expression.
    """
    slices = [leaf for leaf in leaves if isinstance(leaf, ast.Subscript)]
    if len(slices) < 3 or len({ast.unparse(part.value) for part in slices}) != 1:
        return []
    entries = [part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice] for part in slices]
    shapes = [shape_of_slice(raised, part) for part in slices]
    known = [shape for shape in shapes if shape is not None]
    if len({len(entry) for entry in entries}) != 1 or len(known) != len(shapes) or len(set(map(len, known))) != 1:
        return []
    (usual, times), *others = Counter(known).most_common()
    if len(others) != 1 or others[0][1] != 1 or times < 2:
        return []
    odd = known.index(others[0][0])
    axes = [axis for axis, sizes in enumerate(zip(usual, known[odd], strict=True)) if sizes[0] != sizes[1]]
    if len(axes) != 1 or not all(isinstance(entry, ast.Slice) for entries_ in entries for entry in entries_):
        return []
    axis = axes[0]
    if axis >= len(entries[odd]) or abs(usual[axis] - known[odd][axis]) != 1:
        return []
    bounds = entries[odd][axis]
    size = value_of(raised, slices[odd].value).shape[axis]
    text = _moved(bounds, size, usual[axis])
    if text is None:
        return []
    parts = [raised.source(entry) for entry in entries[odd]]
    parts[axis] = text
    array = raised.source(slices[odd].value)
    code = f"{array}[{', '.join(parts)}]"
    words = f"{code} has {usual[axis]} elements along axis {axis}, as the other slices of {array} have."
    cure = applied(FoundCure("the slice", code, words), [edit_of(raised, over(slices[odd], code))])
    return passed(raised, [cure])


def _moved(bounds: ast.expr, size: int, length: int) -> str | None:
    """Return the code of a slice with the given length that keeps the other bound: `:-2` or `2:`.

    None if the old slice has two bounds, or none.
    """
    if not isinstance(bounds, ast.Slice) or bounds.step is not None or length >= size:
        return None
    if bounds.lower is None and bounds.upper is None:
        return None  # the slice has no bound, so either end could move
    if bounds.lower is None:
        return f":{length - size}"
    if bounds.upper is None:
        return f"{size - length}:"
    return None
