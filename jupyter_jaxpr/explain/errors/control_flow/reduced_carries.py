"""Makes the cure of a carry that starts as one number and becomes an array: the step reduces the array to a number."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, result_of
from .carry_expressions import body_and_carry, function_of_body, returned_carry
from .loop_bodies import body_of
from .returned_leaves import leaf_at, short_source


def reduction_in_step(raised: RaisedAt | None, path: str, before: str, after: str) -> FoundCure | None:
    """Return the cure jnp.max of an error that a while_loop tests, or jnp.sum of the array that a step adds.

    None for another code, or if the trial failed.

    Args:
        raised: Where the error was raised.
        path: The path of the array in the carry.
        before: The type that the step receives, such as float32[].
        after: The type that the step returns, such as float32[5].
    """
    parts = body_and_carry(raised)
    if raised is None or parts is None or not before.endswith("[]") or before[:-2] != after.partition("[")[0]:
        return None
    loop = called(raised.node)
    body = function_of_body(body_of(raised, parts[0]))
    result = returned_carry(result_of(body), loop)
    leaf = leaf_at(result, path, raised) if result is not None else None
    if leaf is None or body is None:
        return None
    jnp = jnp_name(raised)
    shape = "[" + after.partition("[")[2]
    added = _added(body, leaf)
    if added is not None and not isinstance(added, ast.Name | ast.Subscript):
        # The sum of the arrays themselves may be meant to be an array, so only a computed array is reduced.
        source = short_source(raised, added)
        words = (
            f"{source} has the shape {shape}. {jnp}.sum adds its elements, so that the carry stays one number; "
            f"{jnp}.mean adds their mean."
        )
        return _tried(raised, f"{jnp}.sum", added, f"{jnp}.sum({raised.source(added)})", words)
    if loop == "while_loop" and _is_tested_above(raised, path):
        source = raised.source(leaf)
        value = _assigned(body, leaf.id)[-1:] if isinstance(leaf, ast.Name) else [leaf]
        size = source if value and called(value[0]) == "abs" else f"{jnp}.abs({source})"
        words = (
            f"{short_source(raised, leaf)} has the shape {shape}. With the largest absolute value of the elements, the "
            "carry stays one number."
        )
        return _tried(raised, f"{jnp}.max", leaf, f"{jnp}.max({size})", words)
    return None


def _tried(raised: RaisedAt, name: str, node: ast.expr, code: str, words: str) -> FoundCure | None:
    tried = passed(raised, [applied(FoundCure(name, code, words), [edit_of(raised, over(node, code))])])
    return tried[0] if tried and tried[0].code is not None else None


def _added(body: AnyFunction, leaf: ast.expr) -> ast.expr | None:
    """Return x where the returned leaf is `carry + x`, or a name with `carry = carry + x` or `carry += x`."""
    match leaf:
        case ast.BinOp(left=ast.Name(), op=ast.Add(), right=added):
            return added
        case ast.Name(id=name):
            changes = [
                part.value
                for part in ast.walk(body)
                if isinstance(part, ast.AugAssign)
                and isinstance(part.op, ast.Add)
                and isinstance(part.target, ast.Name)
                and part.target.id == name
            ]
            values = _assigned(body, name)
            if len(changes) == 1 and not values:
                return changes[0]
            match values:
                case [ast.BinOp(left=ast.Name(), op=ast.Add(), right=added)] if not changes:
                    return added
    return None


def _assigned(body: AnyFunction, name: str) -> list[ast.expr]:
    """Return the values that a function assigns to a name alone."""
    return [
        part.value
        for part in ast.walk(body)
        if isinstance(part, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in part.targets)
    ]


def _is_tested_above(raised: RaisedAt, path: str) -> bool:
    """Return whether the condition of a while_loop tests whether the carry at a path is above a limit."""
    call = raised.node
    assert isinstance(call, ast.Call)
    cond = function_of_body(body_of(raised, call.args[0])) if call.args else None
    keys = re.findall(r"\[(\d+)\]", path)
    if cond is None or not cond.args.args or len(keys) > 1:
        return False
    parameter = cond.args.args[0].arg
    names = {f"{parameter}[{keys[0]}]" if keys else parameter}
    for part in ast.walk(cond):
        match part:
            case ast.Assign(targets=[ast.Tuple(elts=elements)], value=ast.Name(id=name)) if keys and name == parameter:
                names |= {ast.unparse(element) for element in elements[int(keys[0]) : int(keys[0]) + 1]}
    for part in ast.walk(cond):
        match part:
            case ast.Compare(left=low, ops=[ast.Gt() | ast.GtE()]) if ast.unparse(low) in names:
                return True
            case ast.Compare(ops=[ast.Lt() | ast.LtE()], comparators=[high]) if ast.unparse(high) in names:
                return True
    return False
