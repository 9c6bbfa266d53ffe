"""Finds the cure for a reshape into blocks, as in x.reshape(n // k, k), where the blocks do not fill an axis."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import integer_of, shape_of
from ..failing_code.only_assignments import only_value
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape

_LEFT_OUT = "{code} leaves out {parts}, which do not fill a block."


@dataclass(frozen=True)
class _Blocks:
    """An axis that the new shape splits into blocks.

    Attributes:
        axis: The axis.
        rest: The number of elements that do not fill a block.
        whole: The code of the number of elements in whole blocks, such as h // 5 * 5.
    """

    axis: int
    rest: int
    whole: str


def block_cure(raised: RaisedAt) -> FoundCure | None:
    """Return the cure x[: n // k * k].reshape(n // k, k), which leaves out the elements that fill no block.

    None unless the new shape splits axes of the array so, and the cure passes its trial.
    """
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) != "reshape" or call.keywords:
        return None
    array, sizes = _array_and_sizes(raised, call)
    shape = shape_of(raised, array) if array is not None else None
    if array is None or shape is None or not isinstance(array, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        return None
    blocks = _blocks(raised, array, shape, sizes)
    if not blocks:
        return None
    last = blocks[-1].axis
    whole = {part.axis: part.whole for part in blocks}
    slices = [f": {whole[axis]}" if axis in whole else ":" for axis in range(last + 1)]
    code = f"{raised.source(array)}[{', '.join(slices)}]"
    parts = [f"the last {count(part.rest, 'element')} of axis {part.axis}" for part in blocks]
    words = _LEFT_OUT.format(code=code, parts=in_a_sentence(parts, 4))
    cure = applied(FoundCure("whole blocks", code, words), [edit_of(raised, over(array, code))])
    return next((tried for tried in passed(raised, [cure]) if tried.level == "applies"), None)


def _array_and_sizes(raised: RaisedAt, call: ast.Call) -> tuple[ast.expr | None, list[ast.expr]]:
    """Return the array of a reshape and the sizes of its new shape."""
    sizes = list(call.args)
    array = call.func.value if isinstance(call.func, ast.Attribute) else None
    if array is not None and shape_of(raised, array) is None and len(sizes) == 2:  # jnp.reshape(x, shape)
        array, sizes = sizes[0], sizes[1:]
    if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List):
        sizes = sizes[0].elts
    return array, sizes


def _blocks(raised: RaisedAt, array: ast.expr, shape: Shape, sizes: list[ast.expr]) -> list[_Blocks]:
    """Return the axes whose blocks do not fill them; empty if the new shape is of another form."""
    blocks, place = [], 0
    for axis, size in enumerate(shape):
        first, second = (sizes[number] if number < len(sizes) else None for number in (place, place + 1))
        if first is None:
            return []
        # In (heads, n // heads), the number of the blocks is fixed, and to leave out elements is no cure.
        found = _block(raised, first, second, size)
        if found is not None:
            number, whole = found
            blocks += [_Blocks(axis, size % number, whole)] if size % number else []
            place += 2
        elif integer_of(raised, first) == size:
            place += 1
        else:
            return []
    return blocks if place == len(sizes) else []


def _block(raised: RaisedAt, quotient: ast.expr | None, block: ast.expr | None, size: int) -> tuple[int, str] | None:
    """Return the size of a block and the code of the size of all whole blocks, for n // k beside k; None otherwise."""
    match _written_out(raised, quotient):
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right) if block is not None and quotient is not None:
            number = integer_of(raised, right)
            is_split = integer_of(raised, left) == size and integer_of(raised, block) == number
            if not number or not is_split or integer_of(raised, quotient) not in (None, size // number):
                return None
            return number, f"{raised.source(quotient)} * {raised.source(block)}"
    return None


def _written_out(raised: RaisedAt, quotient: ast.expr | None) -> ast.expr | None:
    """Return the value that the only assignment of the function gives to a name, also in gh, gw = h // 8, w // 8."""
    function = raised.function
    if not isinstance(quotient, ast.Name) or function is None:
        return quotient
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == quotient.id]
    if sum(isinstance(name.ctx, ast.Store) for name in names) != 1:
        return quotient
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=False):
                    if target in names and len(targets) == len(values):
                        return value
    return only_value(function, quotient.id) or quotient
