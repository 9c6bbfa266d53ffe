"""Computes the shapes of expressions from the shapes of the names in them, without running any code."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Mapping
from types import MappingProxyType

from ....jax.transform_and_inputs_of_tracer import type_of
from ..shapes.alignments import Shape, broadcast, broadcasts
from .called_names import called
from .origins import dtype_of, type_of_new_array, value_of
from .place_of_error import RaisedAt

_ONE_OPERAND = frozenset(
    "exp exp2 expm1 log log2 log10 log1p sqrt square abs absolute sin cos tan sinh cosh tanh sigmoid relu softplus "
    "silu gelu negative reciprocal sign floor ceil round logical_not conj conjugate real imag astype".split()
)
#: Functions whose result has the shape of the first argument.
KEEP_SHAPE = frozenset(
    "softmax log_softmax standardize ones_like zeros_like full_like empty_like sin cos tan sinh cosh tanh arcsin "
    "arccos arctan exp exp2 expm1 log log2 log10 log1p sqrt cbrt square abs absolute negative sign floor ceil sigmoid "
    "relu gelu silu softplus".split()
)
_SEVERAL_OPERANDS = frozenset(
    "where maximum minimum add subtract multiply divide power arctan2 hypot logaddexp logical_and logical_or equal "
    "not_equal less greater less_equal greater_equal".split()
)


def parts_of(node: ast.AST) -> list[ast.expr] | None:
    """Return the operands of an expression that works element by element; None for any other expression."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return None if isinstance(op, ast.MatMult) else [left, right]
        case ast.Compare(left=left, comparators=[right]):
            return [left, right]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
            return [operand]
        case ast.Call(func=ast.Attribute(value=array), args=args) if called(node) == "astype" and len(args) == 1:
            return [array]
        case ast.Call(args=args, keywords=[]) if not any(isinstance(argument, ast.Starred) for argument in args):
            if called(node) in _SEVERAL_OPERANDS and len(args) > 1:
                return list(args)
            return list(args) if called(node) in _ONE_OPERAND and len(args) == 1 else None
    return None


def shape_of(raised: RaisedAt, node: ast.expr) -> Shape | None:
    """Return the shape of an expression at the error; None if unknown."""
    if isinstance(node, ast.Constant):
        return () if isinstance(node.value, int | float | complex) else None
    if raised.frame is None:
        return None
    value = value_of(raised, node)
    if type(value) in (bool, int, float, complex):
        return ()
    if dtype_of(value):
        return tuple(value.shape)
    if isinstance(node, ast.Subscript):
        return shape_of_slice(raised, node)
    if isinstance(node, ast.Attribute) and node.attr == "T":
        shape = shape_of(raised, node.value)
        return shape[::-1] if shape is not None else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return _shape_of_product(shape_of(raised, node.left), shape_of(raised, node.right))
    if isinstance(node, ast.Call) and called(node) in KEEP_SHAPE and node.args:
        return shape_of(raised, node.args[0])
    parts = parts_of(node)
    if not parts:
        _, bracket, sizes = type_of_new_array(raised, node).partition("[")
        return tuple(int(size) for size in sizes.rstrip("]").split(",") if size) if bracket else None
    known = [shape for part in parts if (shape := shape_of(raised, part)) is not None]
    return broadcast(*known) if len(known) == len(parts) and broadcasts(*known) else None


def _shape_of_product(left: Shape | None, right: Shape | None) -> Shape | None:
    """Return the shape of a product of matrices and vectors; None for stacks of matrices, or if unknown."""
    if left is None or right is None or not 1 <= len(left) <= 2 or not 1 <= len(right) <= 2 or left[-1] != right[0]:
        return None
    return (*left[:-1], *right[1:])


def shape_of_slice(raised: RaisedAt, node: ast.Subscript) -> Shape | None:
    """Return the shape of slices of an array with known bounds, such as u[:, 1:-1]; None for any other index."""
    array = value_of(raised, node.value)
    if not dtype_of(array):
        return None
    indices = value_of(raised, node.slice)
    if "int" in dtype_of(indices) and array.ndim:
        return (*indices.shape, *array.shape[1:])
    entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    dots = [place for place, entry in enumerate(entries) if isinstance(entry, ast.Constant) and entry.value is ...]
    axes = sum(not (isinstance(entry, ast.Constant) and entry.value in (None, ...)) for entry in entries)
    if len(dots) > 1 or axes > array.ndim:
        return None
    entries = [*entries] if dots else [*entries, ast.Constant(...)]
    left = list(array.shape)
    sizes: list[int] = []
    for entry in entries:
        match entry:
            case ast.Constant(value=None):
                sizes.append(1)
            case ast.Constant(value=value) if value is ...:
                whole = array.ndim - axes
                sizes, left = [*sizes, *left[:whole]], left[whole:]
            case ast.Slice(lower=lower, upper=upper, step=step):
                bounds = [None if bound is None else integer_of(raised, bound) for bound in (lower, upper, step)]
                written = (lower, upper, step)
                if any(bound is None and part is not None for bound, part in zip(bounds, written, strict=True)):
                    return None
                sizes.append(len(range(*slice(*bounds).indices(left.pop(0)))))
            case _:
                if integer_of(raised, entry) is None:
                    return None
                left.pop(0)
    return tuple(sizes)


def type_of_array(raised: RaisedAt, node: ast.expr) -> str:
    """Return the type, such as f32[48], of a name, a slice or a call such as jnp.zeros(48).

    Empty for any other expression.
    """
    value = value_of(raised, node)
    return type_of(value) if dtype_of(value) else type_of_slice(raised, node) or type_of_new_array(raised, node)


def type_of_slice(raised: RaisedAt, node: ast.expr) -> str:
    """Return the type of a slice with known bounds, such as f32[48] for x[:48].

    An empty string for any other expression.
    """
    shape = shape_of_slice(raised, node) if isinstance(node, ast.Subscript) else None
    if shape is None or not isinstance(node, ast.Subscript):
        return ""
    kind = type_of(value_of(raised, node.value)).partition("[")[0]
    return f"{kind}[{','.join(map(str, shape))}]"


_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv}


def integer_of(raised: RaisedAt, node: ast.expr, shapes: Mapping[str, Shape] = MappingProxyType({})) -> int | None:
    """Return the value of an integer that the code computes of names, lengths and shapes; None if unknown.

    Args:
        raised: Where the error was raised.
        node: The expression of the integer.
        shapes: Further shapes of arrays, by the code of the arrays.
    """
    match node:
        case ast.Constant(value=constant):
            return constant if type(constant) is int else None
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = integer_of(raised, operand, shapes)
            return None if number is None else -number
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            first, second = integer_of(raised, left, shapes), integer_of(raised, right, shapes)
            if first is None or second is None or (isinstance(op, ast.FloorDiv) and not second):
                return None
            result: int = _OPERATIONS[type(op)](first, second)
            return result
        case ast.Call(func=ast.Name(id="len"), args=[array], keywords=[]):
            shape, value = shapes.get(ast.unparse(array)) or shape_of(raised, array), value_of(raised, array)
            return shape[0] if shape else len(value) if type(value) in (list, tuple, dict, str) else None
        case ast.Attribute(value=array, attr="size"):
            shape = shapes.get(ast.unparse(array)) or shape_of(raised, array)
            return math.prod(shape) if shape is not None else None
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=index):
            shape, axis = shapes.get(ast.unparse(array)) or shape_of(raised, array), integer_of(raised, index)
            return shape[axis] if shape and axis is not None and -len(shape) <= axis < len(shape) else None
    value = value_of(raised, node)
    return value if type(value) is int else None


def leaves_of(node: ast.expr) -> list[ast.expr]:
    """Return the operands of an expression.

    Operands that work element by element are replaced by their own operands.
    """
    parts = parts_of(node) if not isinstance(node, ast.Call) else None
    return [node] if parts is None else [leaf for part in parts for leaf in leaves_of(part)]


def made_of(raised: RaisedAt, node: ast.expr) -> list[ast.expr]:
    """Return an expression, and the values assigned to the names in it and, in turn, to the names in these values."""
    function = raised.function
    assigns = [part for part in ast.walk(function) if isinstance(part, ast.Assign)] if function is not None else []
    made, names = [node], set[str]()
    for expression in made:  # the loop also visits the expressions that its body appends
        for part in ast.walk(expression):
            if isinstance(part, ast.Name) and part.id not in names:
                names.add(part.id)
                made += [assign.value for assign in assigns if ast.unparse(assign.targets[0]) == part.id]
    return made
