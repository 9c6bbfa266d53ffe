"""Finds the cure for a loop body that appends a traced value to a list: a scan that stacks the values."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ..failing_code.called_names import called
from ..failing_code.expression_shapes import integer_of
from ..failing_code.module_names import jnp_name, lax_name
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of

_LOOPS = {"fori_loop": "fori_loop", "while_body": "while_loop", "scan": "scan"}


def collected(raised: RaisedAt, construct: str | None, body: ast.FunctionDef, statement: ast.stmt) -> FoundCure | None:
    """Return the advice for a loop body that appends a value to a list outside of the body; None for another statement.

    Args:
        raised: Where the code used the leaked value.
        construct: The construct of JAX that traced the body.
        body: The function of the body.
        statement: The statement that stores the value outside of the body.
    """
    loop, result = _LOOPS.get(construct or ""), result_of(body)
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=values, attr="append"), args=[value], keywords=[])):
            pass
        case _:
            return None
    if loop is None or result is None:
        return None
    appended, scan = " ".join(raised.source(value).split()), f"{lax_name(raised)}.scan"
    if loop == "scan":
        words = (
            f"scan stacks the second result of each call of {body.name}. Return {appended} as the second result of "
            f"{body.name}."
        )
        return FoundCure("second result", None, words)
    if loop == "while_loop":
        words = (
            f"A while_loop returns the last carry alone. With a fixed number of steps, {scan} also stacks a value of "
            f"each step: its body returns the new carry and, as the second result, {appended}."
        )
        return FoundCure(scan, None, words)
    words = (
        f"A fori_loop returns the last carry alone. {scan} also stacks a value of each step: its body takes the carry "
        "and then the index, and returns the new carry and the value."
    )
    later = [part for part in ast.walk(body) if isinstance(part, ast.Name) and part.lineno > statement.lineno]
    read = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
    if any(part.id in read and isinstance(part.ctx, ast.Store) for part in later):
        # a later line assigns to a name in the expression, so the expression cannot move to the `return`
        return FoundCure(scan, None, words)
    parameters = [parameter.arg for parameter in body.args.args]
    carry = ast.unparse(result)
    lines = [f"return {carry}, {appended}"]
    if len(parameters) == 2:
        lines = [f"def {body.name}({parameters[1]}, {parameters[0]}):", "    ...", f"    return {carry}, {appended}"]
    call = _call_of(raised, body.name)
    if call is not None and isinstance(statement_of_call := raised.statement_of(call), ast.Assign):
        lower, upper, _, start = (raised.source(argument) for argument in call.args)
        target = ast.unparse(statement_of_call.targets[0])
        steps = upper if lower == "0" else f"{lower}, {upper}"
        names = f"{target}, {raised.source(values)}"
        lines.append(f"{names} = {scan}({body.name}, {start}, {jnp_name(raised)}.arange({steps}))")
    return FoundCure(scan, "\n".join(lines), words)


def _call_of(raised: RaisedAt, body: str) -> ast.Call | None:
    """Return the only fori_loop with a body of this name.

    None unless its result is assigned and its bounds are known.
    """
    calls = [
        node
        for node in (ast.walk(raised.loops.module) if raised.loops is not None else ())
        if isinstance(node, ast.Call) and called(node) == "fori_loop" and len(node.args) == 4 and not node.keywords
    ]
    calls = [call for call in calls if isinstance(call.args[2], ast.Name) and call.args[2].id == body]
    if len(calls) != 1:
        return None
    statement = raised.statement_of(calls[0])
    is_assigned = isinstance(statement, ast.Assign) and statement.value is calls[0] and len(statement.targets) == 1
    are_known = all(integer_of(raised, bound) is not None for bound in calls[0].args[:2])
    return calls[0] if is_assigned and are_known else None
