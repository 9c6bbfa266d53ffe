"""Explains a wrong number of arguments of a callable object under vmap, and of a function under equinox.filter_jit."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from ..message_tables.call_messages import LEFT_OUT
from ..transforms.transformed_calls import Applied

AS_MANY = "Pass as many arguments as {name} takes, or pass arguments by name, as name=value."
#: The messages of Python's inspect.Signature.bind, with which equinox binds the arguments of a call.
_UNBOUND = re.compile(r"^missing a required (?:keyword-only )?argument: '(\w+)'$")
_TOO_MANY = re.compile(r"^too many positional arguments$")


def unbound_error(raised: RaisedAt, text: str) -> Explained | None:
    """Explain a call of a function under equinox.filter_jit that passes too few or too many arguments.

    Args:
        raised: Where the error was raised.
        text: The message of the error.
    """
    call = raised.node
    missing, too_many = _UNBOUND.match(text), _TOO_MANY.match(text)
    if not isinstance(call, ast.Call) or not (missing or too_many):
        return None
    function = _wrapped(call.func)
    name = " ".join(raised.source(function).split())
    if missing is not None:
        words = f"Pass {missing[1]} in the call."
        if function_of_text(raised, function) is not None:
            words = f"Pass {missing[1]} in the call, or give {missing[1]} a default value in the definition of {name}."
        cure = FoundCure("pass the missing argument", None, words)
        return Explained(None, LEFT_OUT.format(function=name, arguments=missing[1]), "", (cure,))
    definition = function_of_text(raised, function)
    title = f"The call passes more arguments by position than {name} takes"
    if definition is not None and not any(isinstance(part, ast.Starred) for part in call.args):
        takes = len(definition.args.posonlyargs) + len(definition.args.args)
        title = f"The call passes {count(len(call.args), 'positional argument')}, but {name} takes {takes}"
    return Explained(None, title, "", (FoundCure("the arguments", None, AS_MANY.format(name=name)),))


def _wrapped(function: ast.expr) -> ast.expr:
    """Return f for the called expression eqx.filter_jit(f)."""
    while isinstance(function, ast.Call) and called(function).startswith("filter_") and function.args:
        function = function.args[0]
    return function


def passed_object_error(raised: RaisedAt, method: str, given: int, takes: str) -> Explained | None:
    """Explain too many arguments of a callable object, as in jax.vmap(layer)(layer, x).

    Args:
        raised: Where the error was raised.
        method: The name of the method in the message.
        given: The number of positional arguments of the call, without self.
        takes: The number of positional arguments that the method takes, without self.

    Returns:
        The explanation; None for another method than __call__.
    """
    call = Applied(raised)
    if method != "__call__" or call.call is None:
        return None
    function = call.transform.args[0] if call.transform is not None and call.transform.args else call.call.func
    name = " ".join(raised.source(function).split())
    title = f"The call passes {count(given, 'positional argument')}, but {name} takes {takes}"
    first = call.call.args[0] if call.call.args else None
    if first is None or not isinstance(function, ast.Name) or ast.unparse(first) != function.id:
        return Explained(None, title, "", (FoundCure("the arguments", None, AS_MANY.format(name=name)),))
    text = f"The first argument of the call is {name} itself. Python passes the object of a method as self."
    words = f"Leave {name} out of the arguments of the call."
    if call.option("in_axes") is not None:
        words = f"Leave {name} out of the arguments of the call, and its entry out of in_axes."
    cure = _without_object(call, function)
    cures = [tried for tried in passed(raised, [cure] if cure is not None else []) if tried.code is not None]
    return Explained(None, title, text, tuple(cures) or (FoundCure("without the object", None, words),))


def _without_object(call: Applied, function: ast.expr) -> FoundCure | None:
    """Return the cure that leaves the object out of the arguments and of in_axes.

    None if the code does not write out all entries of in_axes.
    """
    raised, transform, call_node = call.raised, call.transform, call.call
    if raised is None or call_node is None:
        return None
    rest = [raised.source(part) for part in [*call_node.args[1:], *call_node.keywords]]
    code = raised.source(call_node.func)
    if transform is not None:
        option = call.option("in_axes")
        if transform is not call_node.func or len(transform.args) != 1:
            return None
        options = [raised.source(keyword) for keyword in transform.keywords if keyword.arg != "in_axes"]
        if isinstance(option, ast.Tuple) and len(option.elts) == len(call_node.args):
            entries = [raised.source(entry) for entry in option.elts[1:]]
            options.insert(0, f"in_axes=({', '.join(entries)}{',' * (len(entries) == 1)})")
        elif option is not None and not isinstance(option, ast.Constant):
            return None
        elif option is not None:
            options.insert(0, f"in_axes={raised.source(option)}")
        code = f"{raised.source(transform.func)}({', '.join([raised.source(function), *options])})"
    code = f"{code}({', '.join(rest)})"
    words = "Without the object among the arguments, each argument has its parameter of the method."
    return applied(FoundCure("without the object", code, words), [edit_of(raised, over(call_node, code))])
