"""Finds the only function in the user's cells that donates an argument, and the code of its call with a copy."""

from __future__ import annotations

import ast

from ....interruptions import not_of_a_signal
from ....observe.observation import FoundCure
from ..failing_code.called_names import called
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from .leaking_statement import modules_of_user

_OPTIONS = ("donate_argnums", "donate_argnames")


def only_donor(raised: RaisedAt) -> tuple[str, FoundCure] | None:
    """Return the sentence on the only donating function of the code, and the cure that passes a copy to its only call.

    None if several functions donate, or if the code calls the function several times.

    Args:
        raised: Where the code used a deleted array.
    """
    every_module = [module for _, module, _ in modules_of_user(raised)]
    # the failing cell comes first; another cell may have the call, but not a second donating function
    modules = next(([module] for module in every_module if _mentions_donation(module)), [])
    modules = [*modules, *(module for module in every_module[:1] if module not in modules)]
    donors = [
        (node, option)
        for module in modules
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        for option in decorator.keywords
        if option.arg in _OPTIONS
    ]
    every = [
        node
        for module in modules
        for node in ast.walk(module)
        if isinstance(node, ast.keyword) and node.arg in _OPTIONS
    ]
    if len(donors) != 1 or len(every) != 1:
        return None
    function, option = donors[0]
    parameters = [parameter.arg for parameter in function.args.args]
    donated = _donated(option, parameters)
    calls = [
        node
        for module in modules
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and called(node) == function.name
    ]
    if donated is None or len(calls) != 1 or parameters.index(donated) >= len(calls[0].args):
        return None
    argument = ast.unparse(calls[0].args[parameters.index(donated)])
    arguments = [ast.unparse(part) for part in calls[0].args]
    arguments[parameters.index(donated)] = f"jax.tree.map({jnp_name(raised)}.copy, {argument})"
    named = [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in calls[0].keywords if keyword.arg]
    code = f"{function.name}({', '.join([*arguments, *named])})"
    sentence = f"{function.name} donates its argument {donated}: each call deletes the arrays of {argument}."
    words = (
        f"Pass a copy of {argument} to {function.name}, so that the arrays of {argument} stay usable, or leave "
        f"{option.arg} out."
    )
    return sentence, FoundCure("a copy", code, words)


def _mentions_donation(module: ast.Module) -> bool:
    return any(isinstance(node, ast.keyword) and node.arg in _OPTIONS for node in ast.walk(module))


def _donated(option: ast.keyword, parameters: list[str]) -> str | None:
    """Return the only parameter that an option donates; None if there are several, or if the option is no literal."""
    try:
        value = ast.literal_eval(option.value)
    except not_of_a_signal(ValueError):
        return None
    entries = value if isinstance(value, tuple | list) else (value,)
    if len(entries) != 1:
        return None
    (entry,) = entries
    if type(entry) is int and 0 <= entry < len(parameters):
        return parameters[entry]
    return entry if entry in parameters else None
