"""Explains True or False at the position of another argument, such as `lax.scan(step, carry, xs, True)`."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

from ....interruptions import not_of_a_signal
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax
from ....plain_text import FAILURES, message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def option_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains True or False at the position of an argument that is no option, if JAX's message names the argument."""
    call = raised.node if raised is not None and raised.frame is not None else None
    if raised is None or not isinstance(call, ast.Call) or not isinstance(error, TypeError | ValueError):
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    called_function = value_of(raised, call.func)
    if not is_of_jax(called_function):
        return None
    parameters = _parameters(called_function)
    text = message_of(error)
    for place, (node, parameter) in enumerate(zip(call.args, parameters, strict=False)):
        if parameter.kind not in _BY_POSITION:
            return None
        is_option = type(parameter.default) is bool
        if _is_bool(node) and not is_option and re.search(rf"\b{re.escape(parameter.name)}\b", text):
            return _option(raised, call, parameters, place)
    return None


def _option(raised: RaisedAt, call: ast.Call, parameters: list[inspect.Parameter], place: int) -> Explained:
    node, name = call.args[place], called(call)
    source = raised.source(node)
    names = [parameter.name for parameter in parameters[: place + 1]]
    title = f"By its position, {source} is the argument {names[-1]} of {name}"
    explanation = f"The first arguments of {name} are {in_a_sentence(names)}." if place else ""
    options = _options(call, parameters, place, source == "True")
    words = "Pass an option by its name."
    cure = FoundCure("the name of the option", None, words)
    if len(options) == 1 and place == len(call.args) - 1:
        code = f"{options[0]}={source}"
        words = f"Pass the option {options[0]} by its name."
        cure = applied(FoundCure(code, code, words), [edit_of(raised, over(node, code))])
    return Explained(None, title, explanation, tuple(passed(raised, [cure])))


def _options(call: ast.Call, parameters: list[inspect.Parameter], place: int, value: bool) -> list[str]:
    """Return the names of the options after an argument for which the value is not the default."""
    named = {keyword.arg for keyword in call.keywords}
    return [
        parameter.name
        for parameter in parameters[place + 1 :]
        if type(parameter.default) is bool
        and parameter.default is not value
        and not parameter.name.startswith("_")
        and parameter.name not in named
    ]


def _is_bool(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is bool


def _parameters(called_function: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(called_function).parameters.values())
    except not_of_a_signal(*FAILURES):
        return []
