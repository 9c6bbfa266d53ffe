"""Finds the line of the user's code that deleted an array with x.delete()."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ...trials.refused_assignments import own_nodes
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text


@dataclass(frozen=True)
class Deletion:
    """A call that deleted an array.

    Attributes:
        call: The call of the method delete.
        through: The call of the user's function that contains `call`; None if `call` is in the failing function itself.
    """

    call: ast.Call
    through: ast.Call | None = None


def deletion_of(raised: RaisedAt, name: str) -> Deletion | None:
    """Return the only call before the error that can have deleted an array. None if there is no such call, or several.

    Args:
        raised: Where the code used the array.
        name: The code of the array, such as x or state['w'].
    """
    scope = raised.function or (raised.loops.module if raised.loops is not None else None)
    if scope is None or isinstance(scope, ast.Lambda):
        return None
    deletions = [*_here(raised, scope, name), *_in_callees(raised, scope, name)]
    return deletions[0] if len(deletions) == 1 else None


def _here(raised: RaisedAt, scope: ast.AST, name: str) -> Iterator[Deletion]:
    for call in _calls(scope):
        if _deletes(call, name) and not _is_stored(raised, scope, call, name):
            if call.lineno < raised.place.line or _is_in_loop(raised, call):
                yield Deletion(call)


def _is_in_loop(raised: RaisedAt, call: ast.Call) -> bool:
    """Return whether the loop around the error contains a call, which an earlier iteration then made."""
    loop = raised.around(ast.For, ast.While)
    return loop is not None and any(part is call for part in ast.walk(loop))


def _in_callees(raised: RaisedAt, scope: ast.AST, name: str) -> Iterator[Deletion]:
    for call in _calls(scope):
        function = function_of_text(raised, call.func)
        if not isinstance(function, ast.FunctionDef) or call.lineno >= raised.place.line:
            continue
        places = [place for place, node in enumerate(call.args) if raised.source(node) == name]
        parameters = [parameter.arg for parameter in [*function.args.posonlyargs, *function.args.args]]
        for place in places[:1]:
            if place < len(parameters) and not _is_stored(raised, scope, call, name):
                for inner in _calls(function):
                    if _deletes(inner, parameters[place]):
                        yield Deletion(inner, call)


def _calls(scope: ast.AST) -> list[ast.Call]:
    return [node for node in own_nodes(scope) if isinstance(node, ast.Call)]


def _deletes(call: ast.Call, name: str) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "delete":
        return False
    return ast.unparse(call.func.value) == ast.unparse(ast.parse(name))


def _is_stored(raised: RaisedAt, scope: ast.AST, call: ast.Call, name: str) -> bool:
    """Return whether a line between the deletion and the error assigns another value to the name of the array."""
    root = name.partition("[")[0].partition(".")[0]
    return any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.id == root
        and call.lineno < node.lineno < raised.place.line
        for node in own_nodes(scope)
    )
