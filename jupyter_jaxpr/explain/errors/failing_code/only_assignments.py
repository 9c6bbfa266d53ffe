"""Finds the only assignment to a name in a function or a file, which says what the name holds."""

from __future__ import annotations

import ast
from collections.abc import Collection

from .place_of_error import RaisedAt


def only_assignment(scope: ast.AST | None, names: Collection[str]) -> ast.Assign | None:
    """Return the assignment `name = value` that alone gives a value to one of the names.

    Args:
        scope: The function or the file to search.
        names: The names, of which only one may get a value.

    Returns:
        The assignment; None if the names get no value, or several, or get their value in another way, for example from
        a loop, from a tuple or as a parameter of the function.
    """
    if scope is None:
        return None
    nodes = list(ast.walk(scope))
    stores = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    stores = [store for store in stores if store.id in names]
    parameters = _parameters(scope)
    if len(stores) != 1 or any(parameter in names for parameter in parameters):
        return None
    assignments = [node for node in nodes if isinstance(node, ast.Assign) and node.targets == stores]
    return assignments[0] if assignments else None


def _parameters(scope: ast.AST) -> list[str]:
    arguments = getattr(scope, "args", None)
    if not isinstance(arguments, ast.arguments):
        return []
    return [part.arg for part in ast.walk(arguments) if isinstance(part, ast.arg)]


def only_value(scope: ast.AST | None, name: str) -> ast.expr | None:
    """Return the expression that the only assignment gives to a name; None without exactly one assignment."""
    assignment = only_assignment(scope, {name})
    return assignment.value if assignment is not None else None


def behind_name(raised: RaisedAt, node: ast.expr) -> ast.expr:
    """Return the expression that the only assignment of the failing file gives to a name.

    Args:
        raised: Where the error was raised.
        node: The name.

    Returns:
        The expression; the node itself if the node is no name, or a name without exactly one assignment.
    """
    module = raised.loops.module if raised.loops is not None else None
    return (only_value(module, node.id) if isinstance(node, ast.Name) else None) or node
