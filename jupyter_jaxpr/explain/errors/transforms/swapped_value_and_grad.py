"""Explains `grads, loss = jax.value_and_grad(f)(x)`, which assigns the value to `grads`: the value comes first."""

from __future__ import annotations

import ast
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_nodes
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt

_OF_GRADIENTS = frozenset({"g", "gs", "dw", "dparams"})
_OF_VALUES = frozenset({"loss", "l", "value", "val", "cost"})


def swapped_values_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error in a line that uses the value as the gradient, because two names are swapped."""
    if raised is None or raised.frame is None or raised.node is None or raised.loops is None:
        return None
    if not isinstance(error, TypeError | ValueError | AttributeError):
        return None
    read = {part.id for part in ast.walk(raised.node) if isinstance(part, ast.Name)}
    scope = raised.function if isinstance(raised.function, ast.FunctionDef) else raised.loops.module
    nodes = list(own_nodes(scope))
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name() as first, ast.Name() as second]) as target]):
                call = node.value
            case _:
                continue
        if not isinstance(call, ast.Call) or first.id == second.id or not read & {first.id, second.id}:
            continue
        stores = [part.id for part in nodes if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
        is_number = dtype_of(value_of(raised, first)) and value_of(raised, first).shape == ()
        if stores.count(first.id) != 1 or stores.count(second.id) != 1 or not is_number:
            continue
        if _is_value_and_grad(raised, call) and _are_swapped(first.id, second.id):
            return _explained(raised, node, target, first.id, second.id)
    return None


def _is_value_and_grad(raised: RaisedAt, call: ast.Call) -> bool:
    """Return whether a call calls the result of value_and_grad, which returns the value and the gradient."""
    transform = behind_name(raised, call.func)
    while isinstance(transform, ast.Call) and called(transform) == "jit" and transform.args:
        transform = behind_name(raised, transform.args[0])
    if not isinstance(transform, ast.Call) or called(transform) != "value_and_grad":
        return False
    return not any(keyword.arg in ("has_aux", None) for keyword in transform.keywords)


def _are_swapped(first: str, second: str) -> bool:
    """Return whether the names suggest the wrong order: the first name means a gradient, or the second a value."""
    is_gradient = _is_gradient_name(first)
    is_value = second.lower() in _OF_VALUES or "loss" in second.lower()
    return is_gradient and not _is_gradient_name(second) or is_value and first.lower() not in _OF_VALUES


def _is_gradient_name(name: str) -> bool:
    return "grad" in name.lower() or name in _OF_GRADIENTS


def _explained(raised: RaisedAt, statement: ast.Assign, target: ast.Tuple, first: str, second: str) -> Explained | None:
    """Return the explanation; None if the failing line still raises an error after the two names are swapped."""
    title = f"{first} is the value, and {second} is the gradient"
    line = statement.lineno
    text = f"value_and_grad returns the value first, and then the gradient. Line {line} assigns the value to {first}."
    code = f"{second}, {first}"
    words = "value_and_grad returns the value first."
    cure = applied(FoundCure("the order", code, words), [edit_of(raised, over(target, code))])
    tried = passed(raised, [cure])
    whole = f"{code} = {' '.join(raised.source(statement.value).split())}"
    if tried and tried[0].code is None:  # the failing line changes an object, so the cure has no trial
        tried = [replace(tried[0], code=whole)]
    if not tried and _makes_number(raised.node, second):
        # float() or int() of a tracer always raises an error, so the trial of a right cure fails, too.
        tried = [FoundCure("the order", whole, words)]
    return Explained(None, title, text, tuple(tried)) if tried else None


def _makes_number(node: ast.AST | None, name: str) -> bool:
    """Return whether an expression converts the value of a name, which is a gradient with axes, to a Python number."""
    match node:
        case ast.Call(func=ast.Name(id="float" | "int"), args=[ast.Name(id=read)], keywords=[]):
            return read == name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=read), attr="item"), args=[], keywords=[]):
            return read == name
    return False
