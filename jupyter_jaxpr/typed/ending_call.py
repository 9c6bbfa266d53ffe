"""Finds the call at the end of a cell, and the other calls of the cell that the package records.

- `ending_call`: the call that the cell ends with, even if a line `y` or `print(y)` follows.
- `calls_at_once`: the calls that run when a statement runs.
- `transformed_above`: the calls above the last statement that run a function under a transform.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TRANSFORMS = frozenset(
    {
        *("grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "jacobian", "hessian", "checkpoint", "remat"),
        *("linear_transpose", "vectorize"),
    }
)
_AT_ONCE = frozenset({"jvp", "vjp", "linearize"})


def transformed_above(module: ast.Module, statement: ast.stmt | None) -> Iterator[ast.Call]:
    """Yield the calls above the last statement that, by their source, run a function under a transform.

    They are `jax.vjp(f, x)`, `jax.grad(f)(x)`, and calls of names to which the cell assigns the result of a transform.
    """
    jitted_names: set[str] = set()
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and any(map(_is_transform, node.decorator_list)):
            jitted_names.add(node.name)
        assigned = assignment(node)
        if assigned is not None and isinstance(assigned.value, ast.Call) and _is_transform(assigned.value.func):
            jitted_names |= assigned.names
    for node in module.body:
        if node is not statement:
            for call in calls_at_once(node):
                called = call.func.func if isinstance(call.func, ast.Call) else None
                is_made = isinstance(call.func, ast.Name) and call.func.id in jitted_names
                if is_made or _name_of(call.func) in _AT_ONCE or (called is not None and _is_transform(called)):
                    yield call


def _is_transform(node: ast.expr) -> bool:
    """Return whether an expression is a transform such as `jax.grad`, or a call that makes one, such as a partial."""
    if isinstance(node, ast.Call):
        return _is_transform(node.func) or any(map(_is_transform, node.args[:1]))
    return _name_of(node) in _TRANSFORMS | _AT_ONCE


def _name_of(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def last_statement(module: ast.Module) -> ast.stmt | None:
    """Return the last statement of a cell, if it is an expression, an assignment or an assert; else None."""
    statement = module.body[-1] if module.body else None
    kinds = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Assert)
    return statement if isinstance(statement, kinds) else None


def calls_at_once(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that run when a statement runs; calls in the body of a function or generator are left out."""
    if isinstance(node, ast.Lambda | ast.GeneratorExp | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    if isinstance(node, ast.Call):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from calls_at_once(child)


def ending_call(module: ast.Module) -> tuple[ast.stmt, ast.Call] | None:
    """Return (statement, call) for the call that the cell ends with; None if it does not end with a call."""
    if not module.body:
        return None
    *before, statement = module.body
    names = _shown_names(statement)
    while names and before:
        # If the cell ends with a line such as `y` or `print(y)`, the call of the assignment `y = f(x)` above counts.
        last_assignment = assignment(before[-1])
        if (
            last_assignment is not None
            and last_assignment.names & names
            and _outermost(last_assignment.value) is not None
        ):
            statement = before[-1]
            break
        above = _shown_names(before[-1])
        if not above:
            break
        names |= above
        before = before[:-1]
    if isinstance(statement, ast.Expr):
        value = statement.value
        call = _outermost(value) or (value if isinstance(value, ast.Call) else None)
    else:
        assigned = assignment(statement)
        call = None if assigned is None else _outermost(assigned.value)
    return None if call is None else (statement, call)


def _shown_names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement only displays, such as `y` as the last line; () for other statements."""
    if not isinstance(statement, ast.Expr):
        return set()
    names: set[str] = set()
    nodes: list[ast.AST] = [statement.value]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS and not node.keywords:
                nodes.append(node.func.value)  # the statement `y.sum()` displays a value that was computed from y
            elif not isinstance(node.func, ast.Name) or node.func.id not in _BUILTINS:
                return set()
            nodes += [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, _PLAIN):
            nodes += ast.iter_child_nodes(node)
        else:
            return set()
    return names


_PLAIN = (
    *(ast.Constant, ast.Attribute, ast.Tuple, ast.List, ast.JoinedStr, ast.FormattedValue, ast.expr_context),
    *(ast.Subscript, ast.UnaryOp, ast.USub),
)


class _Assignment(NamedTuple):
    """An assignment whose targets are all names.

    Other assignments do not count: `x[0] = f(x)`, for example, could change the arguments of the call.
    """

    names: frozenset[str]
    value: ast.expr


def assignment(statement: ast.stmt) -> _Assignment | None:
    """Return a statement as an assignment; None for any other statement, or if a target is no name."""
    targets: list[ast.expr] = []
    value: ast.expr | None = None
    if isinstance(statement, ast.Assign):
        targets, value = list(statement.targets), statement.value
    elif isinstance(statement, ast.AnnAssign):
        targets, value = [statement.target], statement.value
    if value is None:
        return None
    names: set[str] = set()
    while targets:
        target = targets.pop()
        if isinstance(target, ast.Name):
            names.add(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            targets += target.elts
        elif isinstance(target, ast.Starred):
            targets.append(target.value)
        else:
            return None
    return _Assignment(frozenset(names), value)


def _outermost(node: ast.expr) -> ast.Call | None:
    """Return the outermost call that matters in an expression, such as `f(x)` in `print(f(x)[0].sum())`; or None.

    Calls that only print, convert or wait for a value, and methods of arrays such as `sum`, do not count. Of several
    calls side by side, the last one is returned.
    """
    if isinstance(node, ast.Call):
        inner = next(filter(None, map(_outermost, _seen_through(node))), None)
        return inner or (None if _is_of_python(node.func) else node)
    parts: Sequence[ast.expr | None] = ()
    match node:
        case ast.Attribute() | ast.Subscript() | ast.Starred() | ast.FormattedValue():
            parts = (node.value,)
        case ast.UnaryOp():
            parts = (node.operand,)
        case ast.BinOp():
            parts = (node.right, node.left)
        case ast.Compare():
            parts = (*reversed(node.comparators), node.left)
        case ast.Tuple() | ast.List():
            parts = node.elts[::-1]
        case ast.Dict():
            parts = node.values[::-1]
        case ast.JoinedStr():
            parts = node.values[::-1]
    return next((call for part in parts if part is not None and (call := _outermost(part)) is not None), None)


def _is_constant(node: ast.expr) -> bool:
    """Return whether an argument is a constant, such as an axis, a shape or a dtype, rather than an array."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(map(_is_constant, node.elts))
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand)
    return isinstance(node, ast.Constant | ast.Attribute)


def _is_of_python(called: ast.expr) -> bool:
    """Return whether the called object is a built-in function, or a method of a literal such as a list."""
    if isinstance(called, ast.Name):
        return called.id in dir(builtins)
    literals = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set)
    return isinstance(called, ast.Attribute) and isinstance(called.value, literals)


def is_whole(node: ast.expr, call: ast.Call) -> bool:
    """Return whether an expression is this call alone, apart from `print` and `block_until_ready` around it."""
    while isinstance(node, ast.Call) and node is not call:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if name == "block_until_ready" and not node.args and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif name in ("block_until_ready", "print") and len(node.args) == 1 and not node.keywords:
            node = node.args[0]
        else:
            return False
    return node is call


def _seen_through(call: ast.Call) -> Sequence[ast.expr]:
    """Return the arguments of a call that only prints, converts or waits for them; () for any other call."""
    if isinstance(call.func, ast.Attribute):
        if call.func.attr == "block_until_ready" and call.args:
            return call.args  # in `jax.block_until_ready(f(x))`, the call that matters is f(x)
        constant = all(map(_is_constant, [*call.args, *(keyword.value for keyword in call.keywords)]))
        return (call.func.value,) if call.func.attr in _METHODS and constant else ()
    if isinstance(call.func, ast.Name) and (call.func.id in _BUILTINS or call.func.id == "block_until_ready"):
        return call.args[::-1]
    return ()


_BUILTINS = frozenset({"bool", "float", "int", "len", "list", "print", "repr", "str", "tuple", "type"})
_METHODS = frozenset(
    {
        *("all", "any", "argmax", "argmin", "astype", "block_until_ready", "copy", "flatten", "item", "max", "mean"),
        *("min", "prod", "ravel", "reshape", "round", "squeeze", "std", "sum", "tolist", "transpose", "var"),
    }
)
"""Methods of an array: of `f(x).sum()`, the call to show is `f(x)`."""
