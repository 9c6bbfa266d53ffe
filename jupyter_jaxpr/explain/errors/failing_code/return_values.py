"""Finds what a user's function returns, and a `return` that is missing."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_nodes
from .edits import Change, applied, edit_of
from .place_of_error import RaisedAt

AnyFunction = ast.FunctionDef | ast.Lambda


def function_of_text(raised: RaisedAt, node: ast.expr | str | None) -> AnyFunction | None:
    """Return the only def in the code with a name; if `node` is a lambda, return the lambda.

    None if there is no such function.
    """
    if isinstance(node, ast.Lambda):
        return node
    name = node.id if isinstance(node, ast.Name) else node
    if not isinstance(name, str) or raised.loops is None:
        return None
    functions = [
        part for part in ast.walk(raised.loops.module) if isinstance(part, ast.FunctionDef) and part.name == name
    ]
    return functions[0] if len(functions) == 1 else None


def result_of(function: AnyFunction | None) -> ast.expr | None:
    """Return the return expression of a lambda, or of a def that ends with its only return."""
    if isinstance(function, ast.Lambda):
        return function.body
    if function is None or not isinstance(function.body[-1], ast.Return):
        return None
    returns = [part for part in ast.walk(function) if isinstance(part, ast.Return)]
    return function.body[-1].value if len(returns) == 1 else None


def missing_return(raised: RaisedAt, function: AnyFunction | None, pair: bool = False) -> FoundCure | None:
    """Return the cure that adds a return to a def without one; None if the def has a return.

    Args:
        raised: The place where the error was raised.
        function: The function in the code.
        pair: The function is the body of a scan, so it must return a pair.
    """
    if not isinstance(function, ast.FunctionDef):
        return None
    end = function.body[-1]
    returns = [part for part in own_nodes(function) if isinstance(part, ast.Return)]
    is_bare = returns == [end] and returns[0].value is None and len(function.body) > 1
    if returns and not is_bare:
        return None
    last = function.body[-2] if is_bare else end
    text = f"{function.name} has no return, so Python returns None. Return the result."
    if is_bare:
        text = f"The return of {function.name} has no value, so Python returns None. Return the result."
    match last:
        case ast.Expr(value=value):
            line = f"return {raised.source(value)}"
            change: Change = (last, end, f"{line}, None" if pair else line)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            line = f"return {name}, None" if pair else f"return {name}"
            change = (last, end, f"{raised.source_of_statement(last)}\n{line}")
        case _:
            return FoundCure("return", None, text)
    code = change[2].rpartition("\n")[2]
    return applied(FoundCure("return", code, text), [edit_of(raised, change)])
