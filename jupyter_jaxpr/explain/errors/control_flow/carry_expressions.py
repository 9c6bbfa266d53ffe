"""Finds the expressions of the initial carry and of the returned carry of a JAX loop in the user's code."""

from __future__ import annotations

import ast
import re

from ...trials.refused_assignments import own_nodes
from ..failing_code.called_names import called
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction
from .loop_bodies import Body
from .returned_leaves import leaf_at

_PLACES = {"scan": (0, 1), "while_loop": (1, 2), "fori_loop": (2, 3)}


def body_and_carry(raised: RaisedAt | None) -> tuple[ast.expr, ast.expr] | None:
    """Return the expressions of the body and of the initial carry in the failing call of a loop."""
    call = raised.node if raised is not None else None
    if not isinstance(call, ast.Call):
        return None
    places = _PLACES.get(called(call))
    names = {keyword.arg: keyword.value for keyword in call.keywords}
    if places is None:
        return None
    body, start = (call.args[place] if len(call.args) > place else None for place in places)
    body = body or names.get("f") or names.get("body_fun")
    start = start or names.get("init") or names.get("init_val")
    return None if body is None or start is None else (body, start)


def start_at(raised: RaisedAt | None, path: str) -> ast.expr | None:
    """Return the expression in the initial carry at a path."""
    parts = body_and_carry(raised)
    if parts is None or raised is None:
        return None
    is_inside = re.search(r"[\[.]", path.removeprefix("loop_carry[1]")) is not None
    return leaf_at(assigned_value(raised, parts[1]), path, raised) if is_inside else parts[1]


def assigned_value(raised: RaisedAt, node: ast.expr) -> ast.expr:
    """Return the value that the code assigns to a name, if the innermost scope with the name has only one assignment.

    Otherwise return the given expression.
    """
    if not isinstance(node, ast.Name):
        return node
    scope: ast.AST | None = raised.node
    while (scope := raised.parents.get(id(scope))) is not None:
        if not isinstance(scope, ast.FunctionDef | ast.Lambda | ast.Module):
            continue
        if not isinstance(scope, ast.Module):
            parameters = [part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg)]
            if node.id in parameters:
                return node
        values = [
            statement.value
            for statement in own_nodes(scope)
            if isinstance(statement, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == node.id for target in statement.targets)
        ]
        if values:
            return values[0] if len(values) == 1 and values[0].lineno < raised.place.line else node
    return node


def returned_carry(result: ast.expr | None, name: str) -> ast.expr | None:
    """Return the expression of the carry in the return value of a loop body."""
    if name != "scan":
        return result
    return result.elts[0] if isinstance(result, ast.Tuple) and len(result.elts) == 2 else None


def function_of_body(body: Body | None) -> AnyFunction | None:
    """Return the function in the code that is the body; None without a body."""
    return body.function if body is not None else None
