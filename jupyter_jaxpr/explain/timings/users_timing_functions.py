"""Finds user functions that read a clock for their caller, such as `tic()` and `toc()`, by their source code.

No user code runs. A function that may wait for a result before it reads the clock is not such a helper.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from ..syntax_of_called_functions import names_of, tree_of
from .calls_that_do_not_wait import assigned, locals_of

#: A function that returns whether a syntax node is a call that reads a clock. It also gets the values of the names
#: around the node.
IsClock = Callable[[ast.AST, Mapping[str, Any]], bool]


def gives_reading(function: Any, is_clock: IsClock) -> bool:
    """Return whether a function only returns the time of a clock, as `def now(): return time.time()` does."""
    tree = tree_of(function)
    if tree is None:
        return False
    body = [statement for statement in tree.body if not _is_text(statement)]
    last = body[0] if len(body) == 1 else None
    return isinstance(last, ast.Return) and last.value is not None and is_clock(last.value, names_of(function))


def kept_in(function: Any, is_clock: IsClock) -> str | None:
    """Return the name or attribute, such as `_start` or `self.start`, in which a function stores the time of a clock.

    None if it stores no time.
    """
    tree = tree_of(function)
    if tree is None:
        return None
    names = names_of(function)
    kept_place = None
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and is_clock(statement.value, names):
            local = _own_names(tree)
            kept_place = next((place for target in statement.targets if (place := _outside(target, local))), kept_place)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            method, arguments = statement.value.func, statement.value.args
            if isinstance(method, ast.Attribute) and method.attr == "append" and len(arguments) == 1:
                is_reading = is_clock(arguments[0], names)
                kept_place = _outside(method.value, _own_names(tree)) if is_reading else kept_place
    return kept_place


def differs_from(function: Any, is_clock: IsClock) -> str | None:
    """Return the name or attribute with the earlier time that a function subtracts from the present time.

    None if the function subtracts none, or may wait for a result before it reads the clock.
    """
    tree = tree_of(function)
    if tree is None:
        return None
    names = names_of(function)
    for place, statement in enumerate(tree.body):
        readings: list[ast.AST] = [node for node in ast.walk(statement) if is_clock(node, names)]
        if not readings:
            if not _is_text(statement) and any(isinstance(node, _MAY_WAIT) for node in ast.walk(statement)):
                return None
            continue
        before = before_reading(statement, lambda node: is_clock(node, names))
        # The function may format its parameters as text: `clocks_and_timed_code` checks that the call passes no result
        # of JAX.
        parameters = frozenset(_parameters(tree))
        if any(isinstance(node, _MAY_WAIT) and not _formats(node, parameters) for node in before):
            return None
        named = assigned([statement]) if isinstance(statement, ast.Assign) and statement.value in readings else ()
        local = locals_of(tree) - _declared(tree) - {*_parameters(tree)}
        for node in (node for statement in tree.body[place:] for node in ast.walk(statement)):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
                continue
            if node.left in readings or (isinstance(node.left, ast.Name) and node.left.id in named):
                return _outside(_popped(node.right), local)
        return None
    return None


def before_reading(statement: ast.stmt, is_reading: Callable[[ast.AST], bool]) -> list[ast.AST]:
    """Return, in order, the nodes that a statement evaluates before it reads a clock.

    If it reads none, return all its nodes.
    """
    nodes: list[ast.AST] = []

    def goes_on(node: ast.AST) -> bool:
        if is_reading(node):
            return False
        if isinstance(node, ast.Lambda):
            return True
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Assign | ast.AnnAssign):
            children = [] if node.value is None else [node.value]
        if not all(goes_on(child) for child in children):
            return False
        nodes.append(node)
        return True

    goes_on(statement)
    return nodes


def parameter_of(function: FunctionType, name: str) -> int | None:
    """Return the position of a parameter. None if the function has no positional parameter of this name."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return names.index(name) if name in names else None


_MAY_WAIT = (
    *(ast.Call, ast.If, ast.IfExp, ast.For, ast.While, ast.With, ast.Try, ast.Await, ast.Assert, ast.Compare),
    *(ast.BoolOp, ast.FormattedValue, ast.Subscript, ast.BinOp, ast.Yield, ast.YieldFrom, ast.Match, ast.NamedExpr),
)


def _formats(node: ast.AST, names: frozenset[str]) -> bool:
    """Return whether a node formats the value of one of these names as text, as in f"{name}"."""
    return isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name) and node.value.id in names


def _own_names(tree: ast.FunctionDef) -> frozenset[str]:
    """Return the local names of a function, except its first parameter: attributes of `self` remain after the call."""
    return (locals_of(tree) - _declared(tree)) - {*_parameters(tree)[:1]}


def _parameters(tree: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in [*tree.args.posonlyargs, *tree.args.args]]


def _declared(tree: ast.FunctionDef) -> frozenset[str]:
    """Return the names that a function declares as `global` or `nonlocal`."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal)]
    return frozenset(name for node in nodes for name in node.names)


def _popped(node: ast.expr) -> ast.expr:
    """Return the list `starts` for `starts.pop()` and `starts[-1]`. Return any other expression unchanged."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
        return node.func.value
    is_last = isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "-1"
    return node.value if isinstance(node, ast.Subscript) and is_last else node


def _outside(node: ast.expr, local: frozenset[str]) -> str | None:
    """Return the code of a name, attribute or item outside of a function: `_start`, `self.start`, `state['start']`.

    None if the expression belongs to a local name.
    """
    root = node
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    return ast.unparse(node) if isinstance(root, ast.Name) and root.id not in local else None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Global | ast.Nonlocal) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def place_with_object(call: ast.Call, function: Any, place: str | None) -> str | None:
    """Return the name or attribute in which a method stores a time, in the terms of its caller.

    For the call `timer.tic()`, `self.start` becomes `timer.start`.
    """
    if place is None:
        return None
    first = next(iter(function.__code__.co_varnames[: function.__code__.co_argcount]), None)
    if first is not None and place.startswith((f"{first}.", f"{first}[")):
        holder = call.func.value if isinstance(call.func, ast.Attribute) else None
        return None if holder is None else f"{ast.unparse(holder)}{place[len(first) :]}"
    return f"{id(function.__globals__)} {place}"
