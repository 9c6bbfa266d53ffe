"""Explains a call with two exchanged arguments: `predict(x, params)` of a function `def predict(params, x)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from types import FunctionType
from typing import Any

from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.definitions import at_definition
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..failing_code.return_values import AnyFunction, function_of_text
from .tree_differences import with_article

_TRANSFORMS = frozenset("jit grad value_and_grad vmap jacobian jacfwd jacrev hessian checkpoint remat".split())


def exchanged_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error in a user's function whose caller exchanged two arguments."""
    if raised is None or raised.frame is None or raised.node is None:
        return None
    for place in (raised, *(at_caller(raised, frame) for frame in reversed(raised.callers))):
        call = place.node
        if not isinstance(call, ast.Call) or place.frame is None:
            continue
        callee, is_method = _callee(place, call.func)
        if callee is None:
            continue
        parameters = [parameter.arg for parameter in [*callee.args.posonlyargs, *callee.args.args]][is_method:]
        for first, second in _exchanged(call, parameters):
            explained = _explained(place, call, callee, parameters, first, second)
            if explained is not None:
                return explained
    return None


def _callee(place: RaisedAt, function: ast.expr) -> tuple[AnyFunction | None, bool]:
    """Return the user's function that an expression calls, and whether it is a method, which gets its object first."""
    if isinstance(function, ast.Call) and called(function) in _TRANSFORMS and function.args:
        return _callee(place, function.args[0])
    if isinstance(function, ast.Attribute):
        method = function_of_text(place, function.attr)
        is_method = isinstance(method, ast.FunctionDef) and [a.arg for a in method.args.args[:1]] == ["self"]
        return (method, True) if is_method else (None, False)
    if not isinstance(function, ast.Name):
        return None, False
    if (named := function_of_text(place, function)) is not None:
        return named, False
    behind = behind_name(place, function)
    if isinstance(behind, ast.Call):
        return _callee(place, behind)
    # The function may be an argument, such as f in `def integrate(f, y)`.
    value = value_of(place, function)
    found = at_definition(place, value) if type(value) is FunctionType else None
    return (found[1] if found is not None else None), False


def _exchanged(call: ast.Call, parameters: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of two arguments that stand in each other's place.

    For example, (0, 1) for `predict(x, params)` of `def predict(params, x)`.
    """
    if any(isinstance(argument, ast.Starred) for argument in call.args) or len(call.args) > len(parameters):
        return
    names = [_own_name(argument) for argument in call.args]
    for second, name in enumerate(names):
        first = parameters.index(name) if name in parameters else second
        if first < second < len(names) and names[first] == parameters[second]:
            yield first, second


def _own_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _explained(
    place: RaisedAt, call: ast.Call, callee: AnyFunction, parameters: list[str], first: int, second: int
) -> Explained | None:
    """Return the explanation of a call that exchanged two arguments.

    None if both arguments have the same type, or if the call with exchanged arguments raises an error, too.
    """
    nodes = call.args[first], call.args[second]
    values = [value_of(place, node) for node in nodes]
    if any(value is None for value in values) or _structure(values[0]) == _structure(values[1]):
        return None
    sources = [place.source(node) for node in nodes]
    name = callee.name if isinstance(callee, ast.FunctionDef) else "the lambda"
    subject = name if isinstance(callee, ast.FunctionDef) else "The lambda"
    (first_source, second_source), first_parameter, second_parameter = sources, parameters[first], parameters[second]
    title = (
        f"{subject} gets {first_source} as its argument {first_parameter}, and {second_source} as its argument "
        f"{second_parameter}"
    )
    type_sentences = [
        f"{source} is {type_of(value) or with_article(type(value).__name__)}."
        for source, value in zip(sources, values, strict=True)
    ]
    listed_parameters, types = ", ".join(parameters), " ".join(type_sentences)
    text = f"The parameters of {name} are {listed_parameters} (line {callee.lineno}). {types}"
    edits = [edit_of(place, over(node, source)) for node, source in zip(nodes, reversed(sources), strict=True)]
    words = f"Exchange the two arguments: each argument then has the name of its parameter in {name}."
    cure = applied(FoundCure("the order", None, words), edits)
    tried = passed(place, [cure])
    if not tried:
        return None
    if not tried[0].edits:
        arguments = [place.source(argument) for argument in call.args]
        arguments[first], arguments[second] = arguments[second], arguments[first]
        arguments += [place.source(keyword) for keyword in call.keywords]
        tried = [replace(tried[0], code=f"{place.source(call.func)}({', '.join(arguments)})")]
    return Explained(edit_of(place, over(call, "")).place, title, text, tuple(tried))


def _structure(value: Any) -> tuple[Any, list[Any]]:
    import jax

    leaves, structure = jax.tree_util.tree_flatten(value)
    return structure, [getattr(leaf, "shape", ()) for leaf in leaves[:1_000]]
