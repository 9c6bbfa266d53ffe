"""Explains operands whose shapes do not fit together: which axis differs, and the new axes with which they fit."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import leaves_of, made_of, parts_of, shape_of, type_of_slice
from ..failing_code.operand_nodes import operand_nodes
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt
from .alignments import NewAxes, Shape, axes_of_size, broadcast, broadcasts, new_axes
from .convolutions import kernel_cures, kernel_sentence
from .differences_of_neighbours import difference_cures
from .keepdims import REDUCTIONS, keepdims_cures
from .moved_new_axes import moved_axis_cures
from .slices_of_one_array import stencil_cure
from .written_slices import written_slice_cure

_RULE = "Shapes are compared from the last axis. On each axis the sizes must be equal, or a size must be 1."
_MOST_NAMED = 40
#: Vectors whose sizes differ by at most so many elements are meant for each other, and one has a wrong size.
_NEAR = 2


def broadcast_error(title: str, raised: RaisedAt | None, shapes: Sequence[Shape]) -> Explained:
    """Explain operands that do not broadcast.

    Args:
        title: The title of the explanation.
        raised: Where the error was raised.
        shapes: The shapes in JAX's message, in the order of the operands.
    """
    words = "Give the arrays the same number of elements on each axis, or the size 1."
    general = FoundCure("same shape", None, words)
    if raised is None or raised.frame is None or not (nodes := _nodes(raised, shapes)):
        text = f"{_RULE} {operands(raised, operand_nodes(raised))}".strip()
        return Explained(None, title, text, (general,))
    leaves = [leaf for node in nodes for leaf in leaves_of(node)]
    text = f"{_RULE} {operands(raised, leaves, type_of_slice)}".strip()
    text = " ".join(filter(None, [text, *(kernel_sentence(raised, node) for node in nodes)]))
    cures = (
        keepdims_cures(raised)
        or moved_axis_cures(raised, nodes, shapes)
        or stencil_cure(raised, leaves)
        or _axes_cures(raised, nodes, shapes)
    )
    if len(nodes) == 2 and all(cure.level != "applies" for cure in cures):
        kernel = kernel_cures(raised, *nodes) or kernel_cures(raised, *reversed(nodes))
        cures = kernel or written_slice_cure(raised, nodes) or cures
    is_named = all(value_of(raised, node) is not None for node in nodes)
    if not (cures and is_named) and (sentence := _difference(raised, nodes, shapes)) is not None:
        text = f"{text} {sentence}"
    cures = cures or difference_cures(raised, nodes, shapes)
    if not cures and (placed := _places(raised, nodes, shapes) or _two_places(raised, nodes, shapes)) is not None:
        cures = [placed]
    if not cures and (others := _pairs(raised, nodes, shapes) or _bias(raised, nodes, shapes)) is not None:
        cures = [others]
    return Explained(None, title, text, tuple(cures) or (general,))


def broadcast_to_cures(raised: RaisedAt | None, shape: Shape, target: Shape) -> list[FoundCure]:
    """Return cures with new axes, for an argument that must broadcast to a given shape, as in a write."""
    call = raised.node if raised is not None else None
    if raised is None or raised.frame is None or not isinstance(call, ast.Call) or not call.args:
        return []
    node = call.args[0]
    if called(call) not in _TO_A_SHAPE or (shape_of(raised, node) or shape) != shape:
        return []
    axes = new_axes(shape, target)
    return _cures_of(raised, [(node, axes[0])], target) if len(axes) == 1 else []


_TO_A_SHAPE = frozenset("set add subtract multiply mul divide power min max broadcast_to".split())


def _nodes(raised: RaisedAt, shapes: Sequence[Shape]) -> list[ast.expr]:
    """Return the operands of the failing operation, one for each shape in the message.

    Empty if the shapes of the operands are not those in the message.
    """
    node = raised.node
    if isinstance(node, ast.BinOp | ast.Compare | ast.AugAssign):
        nodes = operand_nodes(raised)
    elif isinstance(node, ast.Call):
        nodes = parts_of(node) or []
    else:
        return []
    if len(nodes) != len(shapes):
        return []
    known = [shape_of(raised, operand) for operand in nodes]
    are_equal = all(shape in (None, told) for shape, told in zip(known, shapes, strict=True))
    return nodes if are_equal else []


def _difference(raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape]) -> str | None:
    """Return the sentence that says on which axis the sizes of two operands differ."""
    if len(nodes) != 2 or broadcasts(*shapes):
        return None
    left, right = (_named(raised, node, side) for node, side in zip(nodes, ("left", "right"), strict=True))
    pairs = zip(reversed(shapes[0]), reversed(shapes[1]), strict=False)
    axis, (left_size, right_size) = next((k, pair) for k, pair in enumerate(pairs, 1) if len({*pair} - {1}) == 2)
    if axis == 1:
        return f"The last axis of {left} has {left_size} elements, and the last axis of {right} has {right_size}."
    return f"Axis -{axis} of {left} has {left_size} elements, and axis -{axis} of {right} has {right_size}."


def _named(raised: RaisedAt, node: ast.expr, side: str) -> str:
    text = " ".join(raised.source(node).split())
    return text if len(text) <= _MOST_NAMED else f"the {side} operand"


def _places(raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape]) -> FoundCure | None:
    """Return the advice to place an operand with one axis along one axis of the other, if several have its size."""
    if len(nodes) != 2:
        return None
    (short_node, short), (long_node, long) = sorted(zip(nodes, shapes, strict=True), key=lambda pair: len(pair[1]))
    axes = axes_of_size(short[0], long) if len(short) == 1 < len(long) else []
    if len(axes) < 2:
        return None
    sides = {id(node): _named(raised, node, side) for node, side in zip(nodes, ("left", "right"), strict=True)}
    name, other = sides[id(short_node)], sides[id(long_node)]
    words = (
        f"The axes {in_a_sentence([str(axis) for axis in axes], len(axes))} of {other} have {short[0]} elements, and "
        f"so has the only axis of {name}. Index {name} with : and None, so that the axis of {name} fits one of these "
        "axes."
    )
    return FoundCure("a new axis", None, words)


def _pairs(raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape]) -> FoundCure | None:
    """Return the advice for two vectors of very different lengths: the operation may be meant for all pairs."""
    if len(nodes) != 2 or [len(shape) for shape in shapes] != [1, 1] or not isinstance(raised.node, ast.BinOp):
        return None
    if any(type(tracer).__name__.startswith(("Batch", "Vmap")) for tracer in raised.tracers.values()):
        return None  # in_axes of vmap may be wrong
    (left_size,), (right_size,) = shapes
    if abs(left_size - right_size) <= _NEAR or 1 in (left_size, right_size):
        return None
    left, right = (_indexable(raised, node) for node in nodes)
    if _are_related(raised, nodes) or any(_has_product(raised, node) for node in nodes):
        return None  # the operands are meant for each other, element by element
    if max(len(left), len(right)) > _MOST_NAMED:
        return None
    candidates = []
    for number, (node, source, sizes) in enumerate(
        [(nodes[0], left, (left_size, right_size)), (nodes[1], right, (right_size, left_size))]
    ):
        column = f"{source}[:, None]"
        pair = (column, right) if number == 0 else (left, column)
        operator = " ".join(raised.source(raised.node)[len(raised.source(nodes[0])) :].split())
        operator = operator.partition(" ")[0]
        cure = applied(FoundCure("[:, None]", column, ""), [edit_of(raised, over(node, column))])
        tried = passed(raised, [cure])
        candidates.append((f"{pair[0]} {operator} {pair[1]}", sizes, any(one.level == "applies" for one in tried)))
    working = [part for part in candidates if part[2]] or candidates
    codes = " or ".join(f"{code}, of the shape {sizes}" for code, sizes, _ in working)
    words = (
        f"For all pairs of an element of {left} and an element of {right}, write {codes}. Otherwise, give {left} and "
        f"{right} the same number of elements."
    )
    return FoundCure("same shape", "\n".join(code for code, _, _ in working), words)


def _are_related(raised: RaisedAt, nodes: Sequence[ast.expr]) -> bool:
    """Return whether two operands are computed of one array, as x and mean(x), so that they belong together."""
    names = []
    for node in nodes:
        parts = [part for made in made_of(raised, node) for part in ast.walk(made)]
        names.append({part.id for part in parts if isinstance(part, ast.Name) and dtype_of(value_of(raised, part))})
    return bool(names[0] & names[1])


def _bias(raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape]) -> FoundCure | None:
    """Return the advice for a vector that has another size than the last axis of the other operand."""
    if len(nodes) != 2:
        return None
    (short_node, short), (long_node, long) = sorted(zip(nodes, shapes, strict=True), key=lambda pair: len(pair[1]))
    if len(short) != 1 or len(long) < 2 or not isinstance(short_node, ast.Name | ast.Attribute | ast.Subscript):
        return None
    if not _has_product(raised, long_node):
        return None
    sides = {id(node): _named(raised, node, side) for node, side in zip(nodes, ("left", "right"), strict=True)}
    name, other = sides[id(short_node)], sides[id(long_node)]
    words = (
        f"Make {name} with {long[-1]} elements, one for each element along the last axis of {other}. If {name} is "
        f"right, the last axis of {other} needs {short[0]} elements."
    )
    return FoundCure("same shape", None, words)


def _two_places(raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape]) -> FoundCure | None:
    """Return the advice for the only operand whose shape does not fit the other operands, such as a mask.

    None unless new axes make the operand fit in exactly two ways.
    """
    longest = max(map(len, shapes))
    full = [shape for shape in shapes if len(shape) == longest]
    if not broadcasts(*full):
        return None
    target = broadcast(*full)
    others = [(node, shape) for node, shape in zip(nodes, shapes, strict=True) if not broadcasts(shape, target)]
    if len(others) != 1 or not isinstance(others[0][0], ast.Name):
        return None
    name, axes = others[0][0].id, new_axes(others[0][1], target)
    if len(axes) != 2 or len(others[0][1]) < 2:
        return None
    words = (
        f"{name} fits as {name}{axes[0].index} or as {name}{axes[1].index}. Choose the index that puts the axes of "
        f"{name} at the axes of the other operands with the same meaning."
    )
    return FoundCure("new axes", None, words)


def _axes_cures(raised: RaisedAt, nodes: Sequence[ast.expr], shapes: Sequence[Shape]) -> list[FoundCure]:
    """Return the cure that gives new axes to each operand that does not fit.

    Empty unless each has exactly one way to fit.
    """
    longest = max(map(len, shapes))
    full = [shape for shape in shapes if len(shape) == longest]
    if not broadcasts(*full):
        return []
    target = broadcast(*full)
    changed: list[tuple[ast.expr, NewAxes]] = []
    for node, shape in zip(nodes, shapes, strict=True):
        if len(shape) == longest or broadcasts(shape, target):
            continue
        axes = new_axes(shape, target)
        if len(axes) != 1 or isinstance(getattr(node, "ctx", None), ast.Store):
            return []
        changed.append((node, axes[0]))
    cures = _cures_of(raised, changed, target) if changed else []
    long = [node for node, shape in zip(nodes, shapes, strict=True) if len(shape) == longest]
    selects = isinstance(getattr(raised.node, "op", None), ast.Mult | ast.Sub)
    if selects and len(target) == 2 and len(changed) == 1 and cures and _is_label(raised, changed[0][0], long):
        return _class_cures(raised, changed[0][0], target, cures)
    is_unsure = len(target) == 2 and not all(_is_reduction(raised, node) for node, _ in changed)
    if (
        is_unsure
        or any(_has_product(raised, node) for node in nodes)
        or any(_is_label(raised, node, long) for node, _ in changed)
    ):
        # The shapes do not show what is meant, so the cure is advice: a bias has one element for each column, and
        # integers may be class numbers.
        return [replace(cure, level="advice", edits=()) for cure in cures]
    return cures


def _is_product(node: ast.expr) -> bool:
    """Return whether an expression is a matrix product."""
    is_call = called(node) in ("dot", "matmul", "einsum", "tensordot")
    return is_call or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult))


def _has_product(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression has a matrix product, or has a name whose value is computed with one."""
    parts = [part for made in made_of(raised, node) for part in ast.walk(made)]
    return any(isinstance(part, ast.expr) and _is_product(part) for part in parts)


def _is_reduction(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an operand is a reduction, such as a mean, that the expression or the function computes."""
    return any(called(part) in REDUCTIONS for part in made_of(raised, node)[:2])


def _is_label(raised: RaisedAt, node: ast.expr, long: Sequence[ast.expr]) -> bool:
    """Return whether an operand may contain class numbers (labels).

    Class numbers are integers; at least one operand with more axes has no integers.
    """
    are_integers = all("int" in dtype_of(value_of(raised, other)) for other in long)
    return "int" in dtype_of(value_of(raised, node)) and not are_integers


def _class_cures(raised: RaisedAt, node: ast.expr, target: Shape, cures: Sequence[FoundCure]) -> list[FoundCure]:
    """Return two kinds of advice for an array of integers, one for each row of scores.

    If the integers are class numbers, jax.nn.one_hot helps. If they are numbers to compute with, new axes help. The
    results differ, and the shapes do not show which is meant.
    """
    name = " ".join(raised.source(node).split())
    classes = (
        f"If the integers of {name} are class numbers, {_ONE_HOT} makes for each integer a row with a 1 at the class. "
        f"The result has the shape {target}."
    )
    cure = FoundCure("class numbers", f"{_ONE_HOT}({name}, {target[1]})", classes)
    others = [f"If the integers are numbers to compute with, the array needs new axes. {other.text}" for other in cures]
    numbers = [replace(other, text=text, level="advice", edits=()) for other, text in zip(cures, others, strict=True)]
    return [cure, *numbers]


_ONE_HOT = "jax.nn.one_hot"


def _cures_of(raised: RaisedAt, changed: Sequence[tuple[ast.expr, NewAxes]], target: Shape) -> list[FoundCure]:
    """Return the first candidate for the cure that passes its trial; candidates with fewer edits come first."""
    first = [(_inner(raised, node), axes) for node, axes in changed]
    best: list[FoundCure] = []
    for places in _candidates(raised, first):
        codes: dict[str, Shape] = {}
        edits = []
        for node, axes in places:
            code = f"{_indexable(raised, node)}{axes.index}"
            codes[code] = axes.shape
            edits.append(edit_of(raised, over(node, code)))
        listed = in_a_sentence(list(codes), 3)
        shapes = in_a_sentence([str(shape) for shape in dict.fromkeys(codes.values())], 3)
        words = f"Write {listed}, which has the shape {shapes} and broadcasts with the shape {target}."
        if len(codes) > 1 and len(set(codes.values())) == 1:
            words = f"Write {listed}, which have the shape {shapes} and broadcast with the shape {target}."
        elif len(codes) > 1:
            words = f"Write {listed}, which have the shapes {shapes} and broadcast with the shape {target}."
        cure = applied(FoundCure(first[0][1].index, next(iter(codes)), words), edits)
        tried = passed(raised, [cure])
        if any(one.level == "applies" for one in tried):
            return tried
        # If no candidate passes, the first one is kept: with it, the shapes of this operation fit, and the statement
        # may fail for another reason.
        best = best or tried or [replace(cure, level="advice", edits=())]
    return best


Places = list[tuple[ast.expr, NewAxes]]
_MOST_PLACES = 12


def _candidates(raised: RaisedAt, first: Places) -> Iterator[Places]:
    """Yield growing sets of expressions that get new axes.

    The first set has the failing operands, the next also equal expressions, the last also operands of equal shapes.
    Places in later statements come last.
    """
    statement = raised.statement_of(raised.node)
    if statement is None:
        yield first
        return
    # Other operations of the failing statement may fail in the same way: the first set also has their operands.
    inside = {id(part) for changed, _ in first for part in ast.walk(changed)}
    for node in ast.walk(statement):
        for changed, axes in list(first) if id(node) not in inside else ():
            new = isinstance(node, ast.Name | ast.Attribute) and all(node is not other for other, _ in first)
            if new and isinstance(node, ast.expr) and _has_shape(raised, node, changed) and _fails(raised, node, axes):
                first = [*first, (node, axes)]
    yield first
    seen = len(first)
    function = raised.function
    later = function.body if isinstance(function, ast.FunctionDef) and statement in function.body else [statement]
    later = later[later.index(statement) :]
    here, further = list(ast.walk(statement)), [node for part in later for node in ast.walk(part)]
    written = {ast.unparse(node) for node in further if isinstance(getattr(node, "ctx", None), ast.Store)}
    for is_equal, nodes in ((_has_text, here), (_has_shape, here), (_has_text, further), (_has_shape, further)):
        places = list(first)
        ids = {id(node) for node, _ in places}
        for node in nodes:
            if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
                continue
            if nodes is further and ast.unparse(node) in written:
                continue
            for changed, axes in first:
                if id(node) not in ids and is_equal(raised, node, changed) and _may_fail(raised, node):
                    places.append((node, axes))
                    ids.add(id(node))
            if len(places) > _MOST_PLACES:
                return  # the edit would change too many places of the code
        if len(places) > seen:
            seen = len(places)
            yield places


def _fails(raised: RaisedAt, node: ast.expr, axes: NewAxes) -> bool:
    """Return whether an operand certainly does not broadcast with the other operand, but does with the new axes."""
    shape = shape_of(raised, node)
    inner: ast.AST = node
    while shape is not None and (parent := raised.parents.get(id(inner))) is not None:
        parts = parts_of(parent)
        if parts is None or not any(part is inner for part in parts):
            return False
        others = [shape_of(raised, part) for part in parts if part is not inner]
        known = [other for other in others if other is not None]
        if len(known) != len(others):
            return False
        if any(known):
            return not broadcasts(*known, shape) and broadcasts(*known, axes.shape)
        # the other operand is a number, so the result has the same shape: look at the next outer operation
        inner = parent
    return False


def _has_text(raised: RaisedAt, node: ast.expr, other: ast.expr) -> bool:
    return ast.unparse(node) == ast.unparse(other)


def _has_shape(raised: RaisedAt, node: ast.expr, other: ast.expr) -> bool:
    shape = shape_of(raised, other)
    return shape is not None and shape_of(raised, node) == shape


def _inner(raised: RaisedAt, node: ast.expr) -> ast.expr:
    """Return the array in an expression that combines one array with numbers, such as lam in 1 - lam."""
    while isinstance(node, ast.BinOp | ast.UnaryOp) and (parts := parts_of(node)):
        arrays = [part for part in parts if shape_of(raised, part) != ()]
        if len(arrays) != 1:
            return node
        node = arrays[0]
    return node


def _may_fail(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an elementwise operation combines an operand with an array whose shape may not fit."""
    shape = shape_of(raised, node)
    inner: ast.AST = node
    while (parent := raised.parents.get(id(inner))) is not None and shape is not None:
        if isinstance(parent, ast.AugAssign):
            return parent.value is inner
        parts = parts_of(parent)
        if parts is None or not any(part is inner for part in parts):
            return False
        others = [shape_of(raised, part) for part in parts if part is not inner]
        if any(other is None or not broadcasts(other, shape) for other in others):
            return True
        if any(other for other in others):
            return False  # the operand broadcasts with this array, so it needs no new axis here
        inner = parent
    return False


def _indexable(raised: RaisedAt, node: ast.expr) -> str:
    """Return the code of an expression to which an index can be appended, in parentheses if needed: `(a + b)`."""
    source = raised.source(node)
    return source if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({source})"
