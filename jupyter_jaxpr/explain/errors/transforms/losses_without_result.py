"""Explains a derivative of a function that returns None: finds the function that lacks a return, and names it."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ..control_flow.loop_bodies import body_of, passed_in_body
from ..explanation import Explained
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text, missing_return, result_of
from .transformed_calls import Applied

_NO_NUMBER = "jax.{transform} needs one number, but {function} returns None"
_MADE = "{source} is the function {name} (line {line})."
_PASSES_ON = "{name} (line {line}) returns {result}, and {inner} (line {line_of_inner}) has no return."


def loss_without_result(call: Applied, transform_name: str) -> Explained:
    """Explain the call of a derivative whose function returns None.

    Args:
        call: The call of the transformed function.
        transform_name: The name of the transform, such as grad.
    """
    raised = call.raised
    cure = FoundCure("return", None, "Return the number that is to be differentiated.")
    title = _NO_NUMBER.format(transform=transform_name, function=call.name)
    if raised is None:
        return Explained(None, title, "", (cure,))
    node = call.transform.args[0] if call.transform is not None and call.transform.args else None
    function = call.function or (_function_of(raised, node) if node is not None else None)
    if not isinstance(function, ast.FunctionDef):
        return call.explained(title, "", [cure])
    text = ""
    if node is not None and (source := " ".join(raised.source(node).split())) != function.name:
        title = _NO_NUMBER.format(transform=transform_name, function=function.name)
        text = _MADE.format(source=source, name=function.name, line=function.lineno)
    result = result_of(function)
    inner = _called(raised, function, result) if isinstance(result, ast.Call) else None
    if inner is not None and result is not None and missing_return(raised, inner) is not None:
        passes_on = _PASSES_ON.format(
            name=function.name,
            line=function.lineno,
            result=" ".join(raised.source(result).split()),
            inner=inner.name,
            line_of_inner=inner.lineno,
        )
        text = f"{text} {passes_on}".lstrip()
        function = inner
    missing = missing_return(raised, function)
    tried = passed_in_body(raised, function, [missing]) if missing is not None else []
    return Explained(None, title, text, tuple(tried or [cure]))


def _called(raised: RaisedAt, function: ast.FunctionDef, call: ast.Call) -> ast.FunctionDef | None:
    """Return the def of a called function, or of the method of the same class that self.name(...) calls; else None."""
    around = raised.parents.get(id(function))
    match call.func:
        case ast.Name(id=name):
            found = function_of_text(raised, name)
            return found if isinstance(found, ast.FunctionDef) else None
        case ast.Attribute(value=ast.Name(id=holder), attr=name) if isinstance(around, ast.ClassDef):
            methods = [part for part in around.body if isinstance(part, ast.FunctionDef) and part.name == name]
            is_self = bool(function.args.args) and function.args.args[0].arg == holder
            return methods[0] if is_self and len(methods) == 1 else None
    return None


def _function_of(raised: RaisedAt, node: ast.expr) -> AnyFunction | None:
    """Return the function that an expression stands for: that of a name or a method, or that of make_loss(...)."""
    if (body := body_of(raised, node)) is not None:
        return body.function
    maker = function_of_text(raised, node.func) if isinstance(node, ast.Call) else None
    made = result_of(maker)
    if not isinstance(maker, ast.FunctionDef) or not isinstance(made, ast.Name):
        return None
    inside = [part for part in maker.body if isinstance(part, ast.FunctionDef) and part.name == made.id]
    return inside[0] if len(inside) == 1 else None
