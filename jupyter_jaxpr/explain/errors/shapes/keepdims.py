"""Makes the cure `keepdims=True` for a reduction, such as a mean, that must broadcast with the reduced array."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..arguments.jit_arguments import module_of_call
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import parts_of, shape_of
from ..failing_code.place_of_error import RaisedAt

REDUCTIONS = frozenset("mean sum max min std var median prod norm logsumexp".split())
_WORDS = "keepdims=True keeps the reduced axis with size 1, so the result broadcasts with the array."


def keepdims_cures(raised: RaisedAt) -> list[FoundCure]:
    """Return the cure keepdims=True for the mean in x - x.mean(axis=1), or in `m = x.mean(axis=1)` and then `x - m`."""
    node = raised.node
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else []
    sides = [node.value] if isinstance(node, ast.AugAssign) else sides
    calls = [call for side in sides if (call := _reduction_in(raised, side)) is not None]
    if len(calls) != 1:
        return []
    first, axis = calls[0], ast.unparse(_axis_of(raised, calls[0]) or ast.Constant(None))
    others = [
        call
        for call in _reductions(raised)
        if call is not first and ast.unparse(_axis_of(raised, call) or ast.Constant(None)) == axis
    ]
    best: list[FoundCure] = []
    for changed in [[first], [first, *others]] if others else [[first]]:
        codes = [f"{raised.source(call)[:-1].rstrip().rstrip(',')}, keepdims=True)" for call in changed]
        edits = [edit_of(raised, over(call, code)) for call, code in zip(changed, codes, strict=True)]
        tried = passed(raised, [applied(FoundCure("keepdims", codes[0], _WORDS), edits)])
        if any(cure.level == "applies" for cure in tried):
            return tried
        best = best or tried
    return best


def _reduction_in(raised: RaisedAt, node: ast.expr) -> ast.Call | None:
    """Return the reduction along an axis in an operand, such as x.var(axis=1) in jnp.sqrt(x.var(axis=1) + eps).

    None without one.
    """
    while not (isinstance(node, ast.Call) and called(node) in REDUCTIONS):
        if isinstance(node, ast.Name):
            values = _assigned(raised, node.id)
            if len(values) != 1 or not _stays_beside_arrays(raised, node.id, values[0]):
                return None
            node = values[0]
            continue
        arrays = [part for part in parts_of(node) or [] if shape_of(raised, part) != ()]
        if len(arrays) != 1:
            return None
        node = arrays[0]
    has_keepdims = any(keyword.arg in ("keepdims", None) for keyword in node.keywords)
    return None if has_keepdims or _axis_of(raised, node) is None else node


def _axis_of(raised: RaisedAt, call: ast.Call) -> ast.expr | None:
    """Return the argument `axis` of a reduction; None for a reduction of all axes."""
    named = next((keyword.value for keyword in call.keywords if keyword.arg == "axis"), None)
    place = 1 if module_of_call(raised, call) or isinstance(call.func, ast.Name) else 0
    if named is None and called(call) != "norm" and len(call.args) > place:
        named = call.args[place]
    return None if isinstance(named, ast.Starred) or isinstance(named, ast.Constant) and named.value is None else named


def _reductions(raised: RaisedAt) -> Iterator[ast.Call]:
    """Yield the reductions in the failing function whose results are combined with the reduced array."""
    seen: list[ast.Call] = []
    for node in ast.walk(raised.function) if raised.function is not None else ():
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            found = [call for side in (node.left, node.right) if (call := _reduction_in(raised, side)) is not None]
            for call in found:
                written = raised.parents.get(id(call))
                # for a reduction that is assigned to a name, `_reduction_in` has already checked each use of the name
                is_named = isinstance(written, ast.Assign | ast.Tuple)
                if call not in seen and (is_named or _is_beside_array(raised, call, call)):
                    seen.append(call)
                    yield call


def _assigned(raised: RaisedAt, name: str) -> list[ast.expr]:
    """Return the expressions that the failing function assigns to a name.

    Empty if the name also gets a value in another way.
    """
    function = raised.function
    if not isinstance(function, ast.FunctionDef):
        return []
    values: list[ast.expr] = []
    stores = 0
    for node in ast.walk(function):
        stores += isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        stores += isinstance(node, ast.arg) and node.arg == name
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                values.append(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=parts)):
                pairs = zip(targets, parts, strict=False) if len(targets) == len(parts) else ()
                values += [part for target, part in pairs if isinstance(target, ast.Name) and target.id == name]
    return values if stores == len(values) else []


def _stays_beside_arrays(raised: RaisedAt, name: str, value: ast.expr) -> bool:
    """Return whether each use of a reduction's name combines the value with the reduced array.

    Then keepdims=True changes no other result.
    """
    function = raised.function
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == name] if function else []
    return all(_is_beside_array(raised, node, value) for node in uses if isinstance(node.ctx, ast.Load))


def _is_beside_array(raised: RaisedAt, node: ast.AST, value: ast.expr) -> bool:
    """Return whether an expression with a reduction is combined with the reduced array, or with one of its shape.

    Args:
        raised: Where the error was raised.
        node: The expression.
        value: The reduction, or an expression that holds it.
    """
    while (parent := raised.parents.get(id(node))) is not None:
        if isinstance(parent, ast.AugAssign):
            return parent.value is node and _reduces(raised, value, parent.target)
        match parent:
            case ast.Assign(targets=[ast.Name(id=name)]):
                return len(_assigned(raised, name)) == 1 and _stays_beside_arrays(raised, name, value)
        parts = parts_of(parent)
        if parts is None or not any(part is node for part in parts):
            return False
        others = [part for part in parts if part is not node and shape_of(raised, part) != ()]
        others = [part for part in others if not _is_reduced(raised, part)]
        if others:
            return any(_reduces(raised, value, other) for other in others)
        node = parent
    return False


def _reduces(raised: RaisedAt, value: ast.expr, array: ast.expr) -> bool:
    """Return whether an expression reduces an array that, by the names in the code, has the shape of another array."""
    call = next((part for part in ast.walk(value) if isinstance(part, ast.Call) and called(part) in REDUCTIONS), None)
    if call is None:
        return False
    operand = call.func.value if isinstance(call.func, ast.Attribute) and not module_of_call(raised, call) else None
    reduced = operand or (call.args[0] if call.args else None)
    names = {part.id for part in ast.walk(reduced) if isinstance(part, ast.Name)} if reduced is not None else set()
    return bool(names & _names_of_same_shape(raised, array))


def _names_of_same_shape(raised: RaisedAt, array: ast.expr) -> set[str]:
    """Return the names of the arrays from which an array is computed element by element, also through other names."""
    function = raised.function
    assigns = [part for part in ast.walk(function) if isinstance(part, ast.Assign)] if function is not None else []
    found = list(_operand_names(array))
    for name in found:  # the loop also visits the names that its body appends
        made = [assign.value for assign in assigns if ast.unparse(assign.targets[0]) == name]
        found += {other for value in made for other in _operand_names(value)} - set(found)
    later = [
        assign for assign in assigns if assign.lineno > raised.place.line and not _keeps_axes(raised, assign.value)
    ]
    return set(found) - {ast.unparse(assign.targets[0]) for assign in later}


def _keeps_axes(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression certainly keeps the number of axes of its names.

    Its operations must be elementwise, or products with a matrix.
    """
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return _keeps_axes(raised, left) and len(shape_of(raised, right) or ()) > 1
    parts = parts_of(node)
    is_plain = isinstance(node, ast.Name | ast.Constant)
    return is_plain if parts is None else all(_keeps_axes(raised, part) for part in parts)


def _operand_names(node: ast.expr) -> set[str]:
    """Return the names of the arrays that an expression combines element by element."""
    if isinstance(node, ast.Name):
        return {node.id}
    return {name for part in parts_of(node) or [] for name in _operand_names(part)}


def _is_reduced(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an operand is itself a reduction: then it needs keepdims, too."""
    values = _assigned(raised, node.id) if isinstance(node, ast.Name) else [node]
    return len(values) == 1 and called(values[0]) in REDUCTIONS
