"""Makes the edit for a `jnp.where` with a mask whose gradient is NaN: the mask also keeps zeros out of the branch."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ..loops.kinds_of_python_loops import Function
from .expressions_at_positions import Sketch, Text
from .finite_derivatives import is_finite_at

KEPT_OUT = (
    "In the edited code, the inner jnp.where puts 1 into the branch that is not taken, so the derivative of the branch "
    "is finite."
)
_DEPTH = 3  # how many assignments are followed back from the branch


def kept_out_by_mask(call: ast.Call, numpy: str, text: Text) -> Sketch | None:
    """Return the edit that puts a second `jnp.where` with the same mask around the value that is 0 below the mask.

    In `jnp.where(mask, 1 / r2, 0)`, the r2 becomes `jnp.where(mask, r2, 1)`, also where an earlier line assigns 1 / r2.
    """
    mask, *branches = call.args
    function = text.function(call)
    if function is None or any(map(_is_random, ast.walk(mask))):
        return None
    functions = {node.name: node for node in text.module.body if isinstance(node, ast.FunctionDef)}
    found = [
        (number, node)
        for number, branch in enumerate(branches)
        for node in _values(branch, function, text, functions, mask)
    ]
    if len({(number, ast.dump(node)) for number, node in found}) != 1:
        return None
    number = found[0][0]
    edits = []
    for _, name in found:
        node = _with_subscripts(name, text)
        value = _sum_of_squares(node, numpy, text) or text.segment(node)
        arguments = f"{value}, 1" if number == 0 else f"1, {value}"
        inner = f"{numpy}.where({text.segment(mask)}, {arguments})"
        edits.append(text.over(node, inner if value == text.segment(node) else f"{numpy}.sqrt({inner})"))
    return text.sketch("masked_derivative", call, "a second selection", KEPT_OUT, edits)


def _with_subscripts(node: ast.expr, text: Text) -> ast.expr:
    """Return the outermost subscript of a value, such as r2[..., None], which has the axes of the mask."""
    for outer in text.around(node):
        if not isinstance(outer, ast.Subscript) or outer.value is not node:
            break
        node = outer
    return node


def _is_random(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute | ast.Name) and "random" in ast.unparse(node)


def _values(
    expression: ast.expr,
    function: Function,
    text: Text,
    functions: Mapping[str, ast.FunctionDef],
    mask: ast.expr,
    depth: int = _DEPTH,
) -> Iterator[ast.expr]:
    """Yield the nodes to guard: those at whose 0 an expression has no finite derivative, although it has one at 1."""
    names: dict[str, list[ast.expr]] = {}
    called = {id(node.func) for node in ast.walk(expression) if isinstance(node, ast.Call)}
    for node in ast.walk(expression):
        if isinstance(node, ast.Name) and id(node) not in called:
            names.setdefault(node.id, []).append(node)
    for name, nodes in names.items():
        made = _assignment(name, function, text, expression, mask)
        is_singular = is_finite_at(0.0, expression, nodes[0], functions) is False
        below = []
        if made is not None and depth:
            below = list(_values(made, function, text, functions, mask, depth - 1))
            below += [made] if _is_norm(made) else []
        if below:
            yield from below
        elif is_singular and is_finite_at(1.0, expression, nodes[0], functions):
            yield from nodes


def _assignment(name: str, function: Function, text: Text, reader: ast.expr, mask: ast.expr) -> ast.expr | None:
    """Return the value of the only assignment to a name that one expression alone reads.

    None if another expression reads the name, or if the mask is not known yet at the assignment.
    """
    nodes = list(text.own(function))
    stores = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    inside = {id(node) for node in ast.walk(reader)}
    targets = [node for node in stores if isinstance(node.ctx, ast.Store)]
    if len(targets) != 1 or any(id(node) not in inside for node in stores if node is not targets[0]):
        return None
    statement = text.statement(targets[0])
    if not isinstance(statement, ast.Assign) or statement.targets != [targets[0]]:
        return None
    in_mask = {node.id for node in ast.walk(mask) if isinstance(node, ast.Name)}
    late = [
        node
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in in_mask
        if node.lineno >= statement.lineno
    ]
    return None if late else statement.value


def _is_norm(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("linalg.norm") and len(node.args) == 1


def _sum_of_squares(node: ast.expr, numpy: str, text: Text) -> str | None:
    """Return the code of the sum below the root of a `jnp.linalg.norm(x, axis=-1)`; None for another expression."""
    if not isinstance(node, ast.Call) or not _is_norm(node):
        return None
    options = {option.arg: text.segment(option.value) for option in node.keywords}
    if not options or not options.keys() <= {"axis", "keepdims"} or "axis" not in options:
        return None
    written = ", ".join(f"{name}={value}" for name, value in options.items())
    return f"{numpy}.sum(({text.segment(node.args[0])}) ** 2, {written})"
