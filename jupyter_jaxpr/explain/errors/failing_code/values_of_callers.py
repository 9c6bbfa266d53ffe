"""Finds the line that gave a Python argument of the failing function its value: the caller's, or the definition's."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .called_names import called
from .expression_shapes import integer_of
from .place_of_error import RaisedAt, at_caller


@dataclass(frozen=True)
class PassedValue:
    """The origin of the value of an argument.

    Attributes:
        sentence: The sentence that names the line.
        words: The words for a cure: where the user must write another value.
    """

    sentence: str
    words: str


def origin_of_argument(raised: RaisedAt, node: ast.Name) -> PassedValue | None:
    """Return the line that gave a name its value, if the name is an argument of the failing function.

    Args:
        raised: Where the error was raised.
        node: The name.

    Returns:
        The call that passes the value as a literal or as an expression, or the default value in the definition. None if
        the function assigns to the name. If another function than the failing one was called, as under jax.jit, only
        the default value is known.
    """
    at: RaisedAt = raised
    name: ast.expr = node
    own_name = raised.place.function.rpartition(".")[2]
    for _ in range(len(raised.callers) + 1):
        function = at.function
        if not isinstance(name, ast.Name) or function is None or at.frame is None:
            return None
        if is_assigned(function, name.id):
            return None
        call = at_caller(at, at.callers[-1]) if at.callers else None
        function_name = _name(at, function)
        if call is None or not isinstance(call.node, ast.Call) or called(call.node) != function_name:
            return _default_in_use(at, function, name.id)
        if any(isinstance(part, ast.Starred) for part in call.node.args) or None in _names(call.node):
            return None
        passed = passed_for(function, call.node, name.id)
        if passed is None:
            default = _default(function, name.id)
            if default is None:
                return None
            line = default.lineno
            words = f"Pass a value for {name.id}, or change the default value in line {line}"
            return PassedValue(_sentence(at, name.id, default), words)
        if not _is_argument(call, passed):
            code, line = " ".join(call.source(call.node).split()), call.node.lineno
            passes = f"{code} passes" if len(code) <= 60 else f"The call of {function_name} passes"
            as_name = "" if name.id == node.id else f", which is {node.id} in {own_name}"
            sentence = f"{passes} {name.id}{as_name} (line {line})."
            return PassedValue(sentence, f"Pass another {name.id} in line {line}")
        at, name = call, passed
    return None


def _name(at: RaisedAt, function: ast.FunctionDef | ast.Lambda) -> str | None:
    """Return the name of a function; of a lambda, the name to which the code assigns the lambda."""
    if isinstance(function, ast.FunctionDef):
        return function.name
    match at.parents.get(id(function)):
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return None


def _sentence(at: RaisedAt, name: str, default: ast.expr) -> str:
    return f"{name} has the default value {at.source(default)} (line {default.lineno})."


def _default_in_use(at: RaisedAt, function: ast.FunctionDef | ast.Lambda, name: str) -> PassedValue | None:
    """Return the default value of a parameter, if the parameter has this value; None for another value.

    JAX called the function, as under jax.jit, so a call that passes a value may pass an array in place of an integer.
    """
    default = _default(function, name)
    value = at.frame.f_locals.get(name) if at.frame is not None else None
    if default is None or type(value) is not int or integer_of(at, default) != value:
        return None
    return PassedValue(_sentence(at, name, default), f"Change the default value in line {default.lineno}")


def argument_with_value(raised: RaisedAt, value: int) -> ast.Name | None:
    """Return the only argument of the failing call that has a certain value, if the argument is a name.

    Args:
        raised: Where the error was raised.
        value: The value, a Python integer.
    """
    call = raised.node
    if not isinstance(call, ast.Call) or raised.frame is None:
        return None
    nodes = [*call.args, *(keyword.value for keyword in call.keywords)]
    found = [node for node in nodes if integer_of(raised, node) == value]
    return found[0] if len(found) == 1 and isinstance(found[0], ast.Name) else None


def _names(call: ast.Call) -> list[str | None]:
    """Return the names of the arguments that a call passes by name; None stands for **arguments."""
    return [keyword.arg for keyword in call.keywords]


def _is_argument(at: RaisedAt, node: ast.expr) -> bool:
    function = at.function
    return (
        isinstance(node, ast.Name)
        and function is not None
        and node.id in [part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)]
    )


def is_assigned(function: ast.FunctionDef | ast.Lambda, name: str) -> bool:
    """Return whether a function assigns to a name."""
    stores = [part for part in ast.walk(function) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    return any(part.id == name for part in stores)


def passed_for(function: ast.FunctionDef | ast.Lambda, call: ast.Call, name: str) -> ast.expr | None:
    """Return the expression that a call passes for a parameter; None if the call leaves the parameter out."""
    by_name = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    parameters = [part.arg for part in [*function.args.posonlyargs, *function.args.args]]
    if parameters[:1] == ["self"] and isinstance(call.func, ast.Attribute):
        parameters = parameters[1:]
    place = parameters.index(name) if name in parameters else len(call.args)
    return by_name or (call.args[place] if place < len(call.args) else None)


def _default(function: ast.FunctionDef | ast.Lambda, name: str) -> ast.expr | None:
    positional = [part.arg for part in [*function.args.posonlyargs, *function.args.args]]
    defaults, by_name = function.args.defaults, function.args.kw_defaults
    places = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    names = [part.arg for part in function.args.kwonlyargs]
    return places.get(name) or dict(zip(names, by_name, strict=True)).get(name)
