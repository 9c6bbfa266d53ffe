"""Finds where the operands with unequal sizes were made, and the size there that the code should have written.

A size is replaced by another size of the same statement, two sizes are exchanged, or a number is replaced by the
number that fits. An edit is offered only if JAX can trace the cell with the edit, and with no other such edit.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import Change, applied, edit_of, over, shown
from ..failing_code.expression_shapes import KEEP_SHAPE, made_of, parts_of, shape_of
from ..failing_code.made_leaves import MadeLeaf, made_leaf
from ..failing_code.only_assignments import only_value
from ..failing_code.operand_nodes import operand_nodes
from ..failing_code.place_of_error import RaisedAt, at_caller
from .alignments import Shape

Candidate = tuple[str, list[Change]]
"""The code of a size, and the changes of an edit, of which the first replaces this size."""

_MOST_TRIED = 8
_MOST_NAMED = 3
_MADE = "{name} comes from {code} ({where})."
_MADE_IN = "{name} comes from {where}."
_CHANGED = "With {new} in place of {old} in {where}, {name} has {size} elements along axis {axis}."
_CHANGE_ONE = (
    "Give {left} the size {left_size} along axis {left_axis} in {left_where}, or {right} the size {right_size} along "
    "axis {right_axis} in {right_where}."
)
_CHANGE = "Give {left} the size {left_size} along axis {left_axis} in {left_where}."


@dataclass(frozen=True)
class Unequal:
    """An operand with another size along an axis than the other operand.

    Attributes:
        node: The operand.
        axis: The axis, from 0.
        axes: The number of axes.
        size: The size of the operand.
        wanted: The size of the other operand.
        exchanged: The axis of the other channels of a kernel of a convolution, which may be exchanged with the axis.
    """

    node: ast.expr
    axis: int
    axes: int
    size: int
    wanted: int
    exchanged: int | None = None


def with_sizes(explained: Explained, raised: RaisedAt | None) -> Explained:
    """Return the explanation with the lines that made the operands, and the cures that mend a size there.

    Args:
        explained: The explanation of an error about unequal sizes.
        raised: Where the error was raised.
    """
    if raised is None or raised.frame is None:
        return explained
    unequal = _unequal(raised, explained.title or "")
    if (cure := _other_axis(raised, unequal)) is not None:
        return replace(explained, cures=(cure,))
    if any(cure.level == "applies" for cure in explained.cures):
        return explained
    if (joined := _along_another_axis(raised)) is not None:
        return replace(explained, cures=(joined,))
    unequal = [inner for part in unequal for inner in _sources(raised, part)]
    if any(_is_on_both_sides(raised, part, unequal) for part in unequal):
        return explained
    made = [(part, leaf) for part in unequal if (leaf := _made(raised, part)) is not None]
    if not made:
        return explained
    others = [cure for cure in explained.cures if cure.name not in _GENERAL or cure.code is not None]
    cures = _cures(raised, made, (_names,) if others else (_names, _numbers))
    if others and not cures:
        return explained
    sentences = [_sentence(raised, part, leaf) for part, leaf in made if leaf.node not in operand_nodes(raised)]
    text = " ".join([explained.text, *[*dict.fromkeys(sentences)][:_MOST_NAMED]]).strip()
    if cures and cures[0].level == "applies":
        return replace(explained, text=text, cures=tuple(cures))
    general = FoundCure("one size", None, _general(raised, made))
    return replace(explained, text=text, cures=(*(cures or [general]), *others))


#: Names of cures in general words, which the names of the lines that made the operands replace.
_GENERAL = frozenset({"same shape", "same size", "channels"})


def _is_on_both_sides(raised: RaisedAt, part: Unequal, unequal: Sequence[Unequal]) -> bool:
    """Return whether the other operand is made of slices of the same array, so that another array would not help."""
    code = ast.unparse(part.node)
    others = [made for other in unequal if other.wanted == part.size for made in made_of(raised, other.node)]
    sliced = [node.value for made in others for node in ast.walk(made) if isinstance(node, ast.Subscript)]
    return any(ast.unparse(node) == code for node in sliced)


def _general(raised: RaisedAt, made: Sequence[tuple[Unequal, MadeLeaf]]) -> str:
    alone = [pair for pair in made if sum(part.wanted == pair[0].wanted for part, _ in made) == 1]
    (left, leaf), *others = alone or made
    words = {"left": _name(raised, left.node), "left_size": left.wanted, "left_axis": left.axis}
    if not alone or not others:
        return _CHANGE.format(**words, left_where=leaf.where)
    right, other = others[0]
    return _CHANGE_ONE.format(
        **words,
        left_where=leaf.where,
        right=_name(raised, right.node),
        right_size=right.wanted,
        right_axis=right.axis,
        right_where=other.where,
    )


def _name(raised: RaisedAt, node: ast.expr) -> str:
    return " ".join(raised.source(node).split())


def _sentence(raised: RaisedAt, part: Unequal, leaf: MadeLeaf) -> str:
    if leaf.code:
        return _MADE.format(name=_name(raised, part.node), code=leaf.code, where=leaf.where)
    return _MADE_IN.format(name=_name(raised, part.node), where=leaf.where)


_CHANNELS = re.compile(r"^The input of the convolution has (\d+) channels?, but the kernel takes (\d+)$")


def _kernel(raised: RaisedAt, title: str) -> list[Unequal]:
    """Return the kernel of the failing convolution, whose axis of the input channels has another size."""
    match = _CHANNELS.search(title)
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


def _unequal(raised: RaisedAt, title: str) -> list[Unequal]:
    """Return the operands of the failing operation that have unequal sizes along one pair of axes."""
    if kernel := _kernel(raised, title):
        return kernel
    nodes = _operands(raised)
    shapes = [shape_of(raised, node) for node in nodes]
    told = [tuple(map(int, re.findall(r"\d+", shape))) for shape in _SHAPE.findall(title)]
    if len(told) == len(nodes) and not _is_product(raised.node):
        shapes = [shape if shape is not None else of for shape, of in zip(shapes, told, strict=True)]
    if len(nodes) < 2:
        return []
    is_product = _is_product(raised.node)
    if is_product and (of_product := _of_product(raised, nodes, shapes, title)):
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
_TWO_SIZES = re.compile(r"sizes (\d+) and (\d+)")


def _of_product(
    raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape | None], title: str
) -> list[Unequal]:
    """Return the operand of known shape in a product whose other operand has no name, such as jnp.stack(x) @ w."""
    match = _TWO_SIZES.search(title)
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


def _sources(raised: RaisedAt, part: Unequal, steps: int = 0) -> Iterator[Unequal]:
    """Yield the arrays that give an operand its size along an axis: of x @ w, the last axis is that of w.

    Nothing is yielded if several arrays give the size, such as two terms of a sum.
    """
    node: ast.expr | None = part.node
    if isinstance(node, ast.Name) and steps < _MOST_STEPS:
        value = only_value(raised.function, node.id)
        node = value if value is not None and not _sizes(part, MadeLeaf(raised, ast.Module([], []), value)) else None
    inner: list[Unequal] = []
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            operand, place = (right, -1) if part.axis == part.axes - 1 else (left, -2)
            shape = shape_of(raised, operand) or ()
            if len(shape) >= -place:
                inner = list(_inner(raised, operand, shape, len(shape) + place, part.size, part.wanted))
        case ast.Call(args=[operand, *_]) if called(node) in KEEP_SHAPE and shape_of(raised, operand):
            inner = list(_inner(raised, operand, shape_of(raised, operand) or (), part.axis, part.size, part.wanted))
        case ast.expr() if (parts := parts_of(node)) is not None:
            for operand in parts:
                shape = shape_of(raised, operand) or ()
                place = part.axis - part.axes + len(shape)
                if 0 <= place and shape[place] == part.size:
                    inner += _inner(raised, operand, shape, place, part.size, part.wanted)
        case _:
            yield part
            return
    for found in inner:
        yield from _sources(raised, found, steps + 1)


_MOST_STEPS = 6


def _other_axis(raised: RaisedAt, unequal: Sequence[Unequal]) -> FoundCure | None:
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
            others = [place for place, size in enumerate(shape) if size == part.wanted]
            if len(others) != 1 or not -len(shape) <= axis < len(shape) or shape[axis] != part.size:
                continue
            code = raised.source(node.value)
            words = _OTHER_AXIS.format(
                new=f"{code}[{others[0]}]", old=f"{code}[{axis}]", size=part.size, wanted=part.wanted
            )
            change = over(node.slice, str(others[0]))
            cure = applied(FoundCure("the axis", None, words), [edit_of(raised, change)])
            tried += [one for one in passed(raised, [cure]) if one.level == "applies"]
    return tried[0] if len(tried) == 1 else None


def _along_another_axis(raised: RaisedAt) -> FoundCure | None:
    """Return the cure that joins or reduces arrays along another axis in the function that made an operand.

    None unless exactly one such edit passes its trial.
    """
    outer = at_caller(raised, raised.callers[0]) if raised.callers else raised
    tried = []
    for node in _operands(raised):
        leaf = made_leaf(raised, node)
        if leaf is None or not isinstance(leaf.node, ast.Call) or called(leaf.node) not in _WITH_AXIS:
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


_WITH_AXIS = frozenset("concatenate stack".split())
_MOST_AXES = 3
_ALONG = "Let {name} join the arrays along axis {new}, not {old}, in {where}."
_OTHER_AXIS = "Write {new}, which is {wanted}, in place of {old}, which is {size}."


def _operands(raised: RaisedAt) -> list[ast.expr]:
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


def _made(raised: RaisedAt, part: Unequal) -> MadeLeaf | None:
    found = made_leaf(raised, part.node)
    if found is None and isinstance(part.node, ast.Call) and raised.loops is not None:
        leaf = MadeLeaf(raised, raised.function or raised.loops.module, part.node)
        return leaf if _sizes(part, leaf) else None
    if found is not None and found.scope is raised.function and not _sizes(part, found):
        return None  # the failing function computes the operand, and its lines do not say a size
    return found


def _cures(
    raised: RaisedAt,
    made: Sequence[tuple[Unequal, MadeLeaf]],
    kinds: Sequence[Callable[[Unequal, MadeLeaf], Iterator[Candidate]]],
) -> list[FoundCure]:
    """Return the edits of sizes that pass their trial: an edit that applies, if it is the only one; else advice.

    Args:
        raised: Where the error was raised.
        made: The operands, with the code that made them.
        kinds: The functions that yield edits. If an edit of one function passes, the next functions are not asked.
    """
    outer = at_caller(raised, raised.callers[0]) if raised.callers else raised
    for candidates in kinds:
        tried: list[FoundCure] = []
        for part, leaf in made:
            for old, changes in list(candidates(part, leaf))[:_MOST_TRIED]:
                new = changes[0][2]
                words = _CHANGED.format(
                    new=new,
                    old=old,
                    where=leaf.where,
                    name=_name(raised, part.node),
                    size=part.wanted,
                    axis=part.axis,
                )
                cure = applied(FoundCure("the size", None, words), [edit_of(leaf.at, change) for change in changes])
                tried += [one for one in passed(outer, [cure]) if one.level == "applies"]
        codes = {shown(cure).code: cure for cure in reversed(tried)}
        if len(codes) == 1:
            return list(codes.values())
        if codes and len(codes) <= _MOST_SHOWN:
            return [replace(shown(cure), level="advice", edits=()) for cure in reversed(codes.values())]
    return []


_MOST_SHOWN = 2


def _sizes(part: Unequal, leaf: MadeLeaf) -> list[ast.expr]:
    """Return the expressions of the sizes in the code that made an array, if the code writes one for each axis."""
    found: list[list[ast.expr]] = []
    for node in ast.walk(leaf.node):
        if not isinstance(node, ast.Call) or called(node) in _WITHOUT_SIZES:
            continue
        keywords = [keyword.value for keyword in node.keywords if keyword.arg in ("shape", "size")]
        for argument in [*node.args, *keywords]:
            if (
                isinstance(argument, ast.Tuple | ast.List)
                and len(argument.elts) == part.axes
                and _are_sizes(argument.elts)
            ):
                found.append(argument.elts)
        if called(node) in _OF_SIZES and part.axes == 1 and node.args and _are_sizes(node.args[:1]):
            found.append([node.args[0]])
        if called(node) in ("eye", "identity") and len(node.args) == 1:
            found.append([node.args[0]] * 2)
    return found[0] if len(found) == 1 else []


#: Functions whose tuples are no sizes: an array of numbers, or axes.
_WITHOUT_SIZES = frozenset("array asarray transpose stack concatenate reshape".split())
_OF_SIZES = frozenset("zeros ones full empty arange".split())


def _are_sizes(nodes: Sequence[ast.expr]) -> bool:
    return all(
        isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp)
        or (isinstance(node, ast.Constant) and type(node.value) is int)
        for node in nodes
    )


def _names(part: Unequal, leaf: MadeLeaf) -> Iterator[Candidate]:
    """Yield the edits that exchange two sizes, or write another size of the same statement."""
    sizes = _sizes(part, leaf)
    if not sizes:
        return
    old = leaf.at.source(sizes[part.axis])
    is_square = len(sizes) == 2 and sizes[0] is sizes[1]
    for place, other in enumerate(sizes):
        code = leaf.at.source(other)
        is_number = isinstance(other, ast.Constant) or isinstance(sizes[part.axis], ast.Constant)
        if place != part.axis and code != old and not is_square and not is_number:
            yield old, [over(sizes[part.axis], code), over(other, old)]
    for name in _other_names(leaf, sizes):
        if name != old and not isinstance(sizes[part.axis], ast.Constant):
            yield old, [over(sizes[part.axis], name)]
    for name in _other_names(leaf, sizes) if part.wanted > part.size else ():
        # the input of a recurrent cell, x beside h, has the sum of their sizes
        if name != old and isinstance(sizes[part.axis], ast.Name):
            yield old, [over(sizes[part.axis], f"{old} + {name}")]


def _other_names(leaf: MadeLeaf, sizes: Sequence[ast.expr]) -> list[str]:
    """Return the code of the other sizes in the statement that made an array, and of those in the loop around it."""
    statement: ast.AST | None = leaf.at.statement_of(leaf.node)
    found = [leaf.at.source(size) for size in sizes if isinstance(size, ast.Name | ast.Attribute | ast.Subscript)]
    found += [part.id for size in sizes for part in ast.walk(size) if isinstance(part, ast.Name)]
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and called(node) not in _WITHOUT_SIZES:
            for argument in node.args:
                elements = argument.elts if isinstance(argument, ast.Tuple) else [argument]
                if isinstance(argument, ast.Tuple) or called(node) in _OF_SIZES:
                    found += [leaf.at.source(part) for part in elements if isinstance(part, ast.Name)]
    for node in ast.walk(leaf.scope) if isinstance(leaf.scope, ast.FunctionDef) else ():
        if isinstance(node, ast.Call) and called(node) not in _WITHOUT_SIZES:
            tuples = [argument.elts for argument in node.args if isinstance(argument, ast.Tuple)]
            tuples += [node.args[:1]] if called(node) in (*_OF_SIZES, "eye") else []
            elements = [element for elements in tuples if _are_sizes(elements) for element in elements]
            found += [element.id for element in elements if isinstance(element, ast.Name)]
    around: ast.AST | None = leaf.node
    while around is not None and not isinstance(around, ast.FunctionDef | ast.Module):
        if isinstance(around, ast.For):
            found += [part.id for part in ast.walk(around.target) if isinstance(part, ast.Name)]
        if isinstance(around, ast.ListComp | ast.DictComp):
            targets = [generator.target for generator in around.generators]
            found += [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        around = leaf.at.parents.get(id(around))
    return list(dict.fromkeys(found))


def _numbers(part: Unequal, leaf: MadeLeaf) -> Iterator[Candidate]:
    """Yield the edit that writes the size of the other operand in place of a number."""
    sizes = _sizes(part, leaf)
    size = sizes[part.axis] if sizes else None
    if not isinstance(size, ast.Constant) or size.value != part.size:
        return
    other = sizes[part.exchanged] if part.exchanged is not None else None
    if other is not None and _is_number(other, part.wanted):
        yield str(part.size), [over(size, str(part.wanted)), over(other, str(part.size))]
        return
    yield str(part.size), [over(size, str(part.wanted))]
    statement = leaf.at.statement_of(leaf.node)
    equal = [node for node in ast.walk(statement) if _is_number(node, part.size)] if statement is not None else []
    if len(equal) > 1:
        first = [node for node in equal if node is size]
        others = [node for node in equal if node is not size]
        yield str(part.size), [over(node, str(part.wanted)) for node in first + others]


def _is_number(node: ast.AST, number: int) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == number
