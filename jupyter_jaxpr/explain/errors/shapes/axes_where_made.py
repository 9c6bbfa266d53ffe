"""Finds another axis, or another mode of a convolution, that the code of an operand should have named."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import made_of, shape_of
from ..failing_code.made_leaves import MadeLeaf, made_leaf
from ..failing_code.only_assignments import only_value
from ..failing_code.place_of_error import RaisedAt, at_caller
from .unequal_operands import contains, operands_of
from .written_sizes import Unequal


def other_axis_cure(raised: RaisedAt, unequal: Sequence[Unequal]) -> FoundCure | None:
    """Return the cure that reads another axis of a shape: x.shape[1] in place of x.shape[0], as in pos[: x.shape[0]].

    None unless exactly one such edit passes its trial.
    """
    tried = []
    for part in unequal:
        for node in (inner for made in made_of(raised, part.node) for inner in ast.walk(made)):
            match node:
                case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=int(axis))):
                    shape = shape_of(raised, array) or ()
                case _:
                    continue
            if not -len(shape) <= axis < len(shape) or shape[axis] != part.size:
                continue
            code = raised.source(node.value)
            new = [f"{code}[{place}]" for place, size in enumerate(shape) if size == part.wanted]
            new = new or _sizes_of_others(raised, part)
            if len(new) != 1:
                continue
            words = _OTHER_AXIS.format(new=new[0], old=f"{code}[{axis}]", size=part.size, wanted=part.wanted)
            change = over(node, new[0])
            cure = applied(FoundCure("the axis", None, words), [edit_of(raised, change)])
            tried += [one for one in passed(raised, [cure]) if one.level == "applies"]
    return tried[0] if len(tried) == 1 else None


def _sizes_of_others(raised: RaisedAt, part: Unequal) -> list[str]:
    """Return the code of the size of the other operand, such as f.shape[0], if this operand is a name."""
    found = []
    for node in operands_of(raised):
        shape = shape_of(raised, node) or ()
        if isinstance(node, ast.Name) and not contains(node, part.node) and shape.count(part.wanted) == 1:
            found.append(f"{node.id}.shape[{shape.index(part.wanted)}]")
    return found


def made_along_another_axis(raised: RaisedAt) -> FoundCure | None:
    """Return the cure that joins or reduces arrays along another axis in the function that made an operand.

    None unless exactly one such edit passes its trial.
    """
    outer = at_caller(raised, raised.callers[0]) if raised.callers else raised
    tried = []
    for node in operands_of(raised):
        leaf = made_leaf(raised, node) or _in_place(raised, node)
        if leaf is None:
            continue
        for valid in _valid(leaf):
            new = "SAME" if valid.value == "VALID" else "same"
            words = _SAME.format(new=new, old=valid.value, line=valid.lineno)
            cure = applied(FoundCure(f'"{new}"', None, words), [edit_of(leaf.at, over(valid, f'"{new}"'))])
            tried += [one for one in passed(outer, [cure]) if one.level == "applies"]
        if not isinstance(leaf.node, ast.Call) or called(leaf.node) not in _WITH_AXIS:
            continue
        axes = [keyword.value for keyword in leaf.node.keywords if keyword.arg == "axis"]
        if len(axes) != 1 or not isinstance(axes[0], ast.Constant) or type(axes[0].value) is not int:
            continue
        name, old = called(leaf.node), axes[0].value
        for axis in range(_MOST_AXES):
            if axis != old:
                words = _ALONG.format(name=name, where=leaf.where, new=axis, old=old)
                cure = applied(FoundCure("the axis", None, words), [edit_of(leaf.at, over(axes[0], str(axis)))])
                tried += [one for one in passed(outer, [cure]) if one.level == "applies"]
    return tried[0] if len(tried) == 1 else None


def _in_place(raised: RaisedAt, node: ast.expr) -> MadeLeaf | None:
    """Return the code of an operand that the failing function computes; None without source code."""
    value = only_value(raised.function, node.id) if isinstance(node, ast.Name) else None
    if value is None or raised.function is None:
        return None
    return MadeLeaf(raised, raised.function, value)


def _valid(leaf: MadeLeaf) -> list[ast.Constant]:
    """Return the mode "valid" of the only convolution in the function that made an operand, if it has this mode."""
    scope = leaf.scope if isinstance(leaf.scope, ast.FunctionDef) else leaf.node
    calls = [node for node in ast.walk(scope) if isinstance(node, ast.Call) and "conv" in called(node)]
    found = [part for call in calls for part in ast.walk(call) if isinstance(part, ast.Constant)]
    valid = [part for part in found if part.value in ("valid", "VALID")]
    return valid if len(calls) == len(valid) == 1 else []


_SAME = "With {new} in place of {old} in line {line}, the result of the convolution has the size of its input."
_WITH_AXIS = frozenset("concatenate stack".split())
_MOST_AXES = 3
_ALONG = "Let {name} join the arrays along axis {new}, not {old}, in {where}."
_OTHER_AXIS = "Write {new}, which is {wanted}, in place of {old}, which is {size}."
