"""Finds the operands that have unequal sizes along an axis, and the arrays that gave them these sizes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..failing_code.called_names import called
from ..failing_code.expression_shapes import KEEP_SHAPE, parts_of, shape_of
from ..failing_code.made_leaves import MadeLeaf, made_leaf
from ..failing_code.only_assignments import only_value
from ..failing_code.operand_nodes import operand_nodes
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape
from .written_sizes import Unequal, sizes_of

_CHANNELS = re.compile(r"^conv_general_dilated lhs feature dimension size .*, but (\d+) // 1 != (\d+)")


def _kernel(raised: RaisedAt, text: str) -> list[Unequal]:
    """Return the kernel of the failing convolution, whose axis of the input channels has another size."""
    match = _CHANNELS.search(text)
    call = raised.node
    if match is None or not isinstance(call, ast.Call) or len(call.args) < 2:
        return []
    shape = shape_of(raised, call.args[1]) or ()
    numbers = next((keyword.value for keyword in call.keywords if keyword.arg == "dimension_numbers"), None)
    letters = numbers.elts[1] if isinstance(numbers, ast.Tuple) and len(numbers.elts) == 3 else None
    order = letters.value if isinstance(letters, ast.Constant) and isinstance(letters.value, str) else "OI"
    axis = order.find("I")
    wanted, size = int(match[1]), int(match[2])
    if not 0 <= axis < len(shape) or shape[axis] != size:
        return []
    return [Unequal(call.args[1], axis, len(shape), size, wanted, order.find("O"))]


def unequal_operands(raised: RaisedAt, text: str) -> list[Unequal]:
    """Return the operands of the failing operation that have unequal sizes along one pair of axes."""
    if kernel := _kernel(raised, text):
        return kernel
    nodes = operands_of(raised)
    shapes = [shape_of(raised, node) for node in nodes]
    told = [tuple(map(int, re.findall(r"\d+", shape))) for shape in _SHAPE.findall(text)]
    if len(told) == len(nodes) and not _is_product(raised.node):
        shapes = [shape if shape is not None else of for shape, of in zip(shapes, told, strict=True)]
    if len(nodes) < 2:
        return []
    is_product = _is_product(raised.node)
    if is_product and (of_product := _of_product(raised, nodes, shapes, text)):
        return of_product
    known = [(node, shape) for node, shape in zip(nodes, shapes, strict=True) if shape]
    if len(known) != 2:
        return []
    (left, left_shape), (right, right_shape) = known
    if is_product:
        axes = len(left_shape) - 1, max(len(right_shape) - 2, 0)
    else:
        pairs = [*zip(reversed(left_shape), reversed(right_shape), strict=False)]
        unequal = [place for place, pair in enumerate(pairs, 1) if len({*pair} - {1}) == 2]
        if len(unequal) != 1 and len({*map(tuple, (pairs[place - 1] for place in unequal))}) != 1:
            return []
        axes = len(left_shape) - unequal[0], len(right_shape) - unequal[0]
    return list(_both(raised, left, left_shape, axes[0], right, right_shape, axes[1]))


_SHAPE = re.compile(r"\([\d, ]*\)")
_TWO_SIZES = re.compile(r"got \((\d+),?\) and \((\d+),?\)")


def _of_product(
    raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape | None], text: str
) -> list[Unequal]:
    """Return the operand of known shape in a product whose other operand has no name, such as jnp.stack(x) @ w."""
    match = _TWO_SIZES.search(text)
    if match is None or sum(shape is None for shape in shapes) != 1:
        return []
    left, right = int(match[1]), int(match[2])
    if shapes[0] is not None:
        return list(_inner(raised, nodes[0], shapes[0], len(shapes[0]) - 1, left, right))
    shape = shapes[1] or ()
    return list(_inner(raised, nodes[1], shape, max(len(shape) - 2, 0), right, left))


def _both(
    raised: RaisedAt, left: ast.expr, left_shape: Shape, first: int, right: ast.expr, right_shape: Shape, second: int
) -> Iterator[Unequal]:
    size, other = left_shape[first], right_shape[second]
    yield from _inner(raised, left, left_shape, first, size, other)
    yield from _inner(raised, right, right_shape, second, other, size)


def _inner(raised: RaisedAt, node: ast.expr, shape: Shape, axis: int, size: int, wanted: int) -> Iterator[Unequal]:
    """Yield the arrays in an operand that have its size along an axis, without new axes and transposes around them."""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield from _inner(raised, node.value, shape[::-1], len(shape) - 1 - axis, size, wanted)
        return
    if isinstance(node, ast.Subscript):
        entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        is_new = [isinstance(entry, ast.Constant) and entry.value is None for entry in entries]
        is_whole = [isinstance(entry, ast.Slice) and ast.unparse(entry) == ":" for entry in entries]
        if all(new or whole for new, whole in zip(is_new, is_whole, strict=True)):
            before = sum(is_new[:axis])
            yield from _inner(raised, node.value, shape_of(raised, node.value) or (), axis - before, size, wanted)
            return
    if 0 <= axis < len(shape):
        yield Unequal(node, axis, len(shape), size, wanted)


def sources_of_size(raised: RaisedAt, part: Unequal, steps: int = 0) -> Iterator[Unequal]:
    """Yield the arrays that give an operand its size along an axis: of x @ w, the last axis is that of w.

    Nothing is yielded if several arrays give the size, such as two terms of a sum.
    """
    node: ast.expr | None = part.node
    if isinstance(node, ast.Name) and steps < _MOST_STEPS:
        value = only_value(raised.function, node.id)
        node = value if value is not None and not sizes_of(part, MadeLeaf(raised, ast.Module([], []), value)) else None
    inner: list[Unequal] = []
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            is_vector = len(shape_of(raised, right) or ()) == 1  # then the last axis of the product is one of the left
            operand, place = (right, -1) if part.axis == part.axes - 1 and not is_vector else (left, -2)
            shape = shape_of(raised, operand) or ()
            if len(shape) >= -place and shape[place] == part.size:
                inner = list(_inner(raised, operand, shape, len(shape) + place, part.size, part.wanted))
        case ast.Call(args=[operand, *_]) if called(node) in KEEP_SHAPE and shape_of(raised, operand):
            inner = list(_inner(raised, operand, shape_of(raised, operand) or (), part.axis, part.size, part.wanted))
        case ast.expr() if (parts := parts_of(node)) is not None:
            of_parts = [shape_of(raised, operand) for operand in parts]
            if of_parts.count(None) == 1 and not any(of_parts):
                # beside numbers, the operand whose shape is unknown has the shape of the whole expression
                alone = parts[of_parts.index(None)]
                inner = [Unequal(alone, part.axis, part.axes, part.size, part.wanted)]
                of_parts = []
            for operand, of_part in zip(parts, of_parts, strict=False):
                place = part.axis - part.axes + len(of_part or ())
                if of_part and 0 <= place and of_part[place] == part.size:
                    inner += _inner(raised, operand, of_part, place, part.size, part.wanted)
        case _:
            yield part
            return
    for found in inner:
        yield from sources_of_size(raised, found, steps + 1)


_MOST_STEPS = 6


def operands_of(raised: RaisedAt) -> list[ast.expr]:
    """Return the operands of the failing operation: of an operator, an elementwise function or a product."""
    node = raised.node
    if isinstance(node, ast.BinOp | ast.Compare | ast.AugAssign):
        return operand_nodes(raised)
    if isinstance(node, ast.Call):
        return parts_of(node) or (list(node.args) if _is_product(node) else [])
    return []


def _is_product(node: ast.AST | None) -> bool:
    match node:
        case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()):
            return True
        case ast.Call(args=[_, _], keywords=[]) if called(node) in ("dot", "matmul"):
            return True
    return False


def made_of_operand(raised: RaisedAt, part: Unequal) -> MadeLeaf | None:
    """Return the code that made an operand; None if unknown, or if the failing function computes the operand."""
    found = made_leaf(raised, part.node)
    if found is None and isinstance(part.node, ast.Call) and raised.loops is not None:
        leaf = MadeLeaf(raised, raised.function or raised.loops.module, part.node)
        return leaf if sizes_of(part, leaf) else None
    if found is not None and found.scope is raised.function and not sizes_of(part, found):
        return None  # the failing function computes the operand, and its lines do not say a size
    return found


def contains(node: ast.AST, part: ast.AST) -> bool:
    """Return whether a syntax node contains another one, or is it."""
    return any(inner is part for inner in ast.walk(node))
