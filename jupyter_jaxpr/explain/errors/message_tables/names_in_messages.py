"""Explains the names in backticks in the message of a library: the arguments and the functions of the user's code."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import parameters_of
from ..control_flow.loop_bodies import body_of, is_method
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, operands, type_of_new_array, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, result_of

_NAME = re.compile(r"`(\w+)`")
_SAME_STRUCTURE = re.compile(r"\bsame (?:pytree |tree )?structure as `(\w+)`")
_GETS = "{holder} gets the function {name} (line {line})."
_ONE_ARRAY = "{argument} is one array, so the function must return one array, too."
_RETURNS = "{name} returns {result} (line {line})."


def sentences_on_names(raised: RaisedAt, message: str) -> str:
    """Return sentences on the arguments of the failing call, and on the user's functions, that a message names.

    Args:
        raised: Where the user's code called the library.
        message: The message of the library.
    """
    sentences = []
    for name in dict.fromkeys(_NAME.findall(message)):
        argument = _argument(raised, name)
        function = _function_given_to(raised, name)
        if argument is not None:
            sentences.append(operands(raised, [argument]))
        elif isinstance(function, ast.FunctionDef):
            sentences.append(_GETS.format(holder=name, name=function.name, line=function.lineno))
        if function is not None and (result := result_of(function)) is not None:
            subject = function.name if isinstance(function, ast.FunctionDef) else f"The function of {name}"
            source = " ".join(raised.source(result).split())
            sentences.append(_RETURNS.format(name=subject, result=source, line=result.lineno))
    return " ".join(filter(None, sentences))


def cures_by_names(raised: RaisedAt, message: str) -> list[FoundCure]:
    """Return the cure for a function that returns a list or a tuple, where a message asks for one array.

    Args:
        raised: Where the user's code called the library.
        message: The message of the library.
    """
    match = _SAME_STRUCTURE.search(message)
    argument = _argument(raised, match[1]) if match is not None else None
    if match is None or argument is None or raised.frame is None:
        return []
    if not dtype_of(value_of(raised, argument)) and not type_of_new_array(raised, argument):
        return []
    names = [name for name in dict.fromkeys(_NAME.findall(message)) if _function_given_to(raised, name) is not None]
    function = _function_given_to(raised, names[0]) if len(names) == 1 else None
    result = result_of(function)
    if not isinstance(result, ast.List | ast.Tuple) or is_method(raised, function):
        return []
    elements = ", ".join(raised.source(element) for element in result.elts)
    code = f"{jnp_name(raised)}.array([{elements}])"
    edit = edit_of(raised, over(result, code))
    cure = applied(FoundCure("one array", code, _ONE_ARRAY.format(argument=match[1])), [edit])
    # The trial also runs the line that gives the function to the library: the value of the line has the old function.
    holder = _calls_of(raised, names[0])[0]
    tried = passed(raised, [replace(cure, edits=(edit, edit_of(raised, over(holder, raised.source(holder)))))])
    return [cure if with_holder.level == "applies" else with_holder for with_holder in tried]


def _argument(raised: RaisedAt, name: str) -> ast.expr | None:
    """Return the argument that the failing call passes for a parameter; None without the argument."""
    call = raised.node
    if (
        not isinstance(call, ast.Call)
        or raised.frame is None
        or any(isinstance(part, ast.Starred) for part in call.args)
    ):
        return None
    parameters = parameters_of(value_of(raised, call.func)) if call.args else []
    by_position = dict(zip(parameters, call.args, strict=False))
    by_name = {keyword.arg: keyword.value for keyword in call.keywords}
    return by_name.get(name) or by_position.get(name)


def _calls_of(raised: RaisedAt, name: str) -> list[ast.Call]:
    """Return the calls of a name in the code."""
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    return [node for node in ast.walk(module) if isinstance(node, ast.Call) and called(node) == name]


def _function_given_to(raised: RaisedAt, name: str) -> AnyFunction | None:
    """Return the user's function that is the first argument of the only call of a name, such as f in ODETerm(f)."""
    calls = _calls_of(raised, name)
    body = body_of(raised, calls[0].args[0]) if len(calls) == 1 and calls[0].args else None
    return body.function if body is not None else None
