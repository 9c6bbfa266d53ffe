"""Explains an `argnums` that is no position of an argument in the call of a derivative."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from .transformed_calls import Applied

_COUNT_OF_ARGNUMS = "argnums counts from 0, and counts positional arguments only."
_PASSED = "The call passes {names}."


def _by_name(call: Applied, number: int) -> Explained | None:
    """Explains an argument in argnums that the call passes by name: grad only differentiates positional arguments.

    Args:
        call: The call of the transformed function.
        number: The largest position in argnums.

    Returns:
        The explanation; None if the call leaves out an argument before this position, or this argument.
    """
    raised, call_node, parameters = call.raised, call.call, call.parameters
    if raised is None or call_node is None or number < len(call_node.args) or number >= len(parameters):
        return None
    named = {keyword.arg: keyword for keyword in call_node.keywords if keyword.arg is not None}
    wanted_names = parameters[len(call_node.args) : number + 1]
    if not all(name in named for name in wanted_names):
        return None
    transform_name = called(call.transform) or "grad"
    names, verb = in_a_sentence(wanted_names, 4), "is" if len(wanted_names) == 1 else "are"
    title = f"jax.{transform_name} differentiates positional arguments, but {names} {verb} passed by name"
    values = [raised.source(argument) for argument in call_node.args] + [
        raised.source(named[name].value) for name in wanted_names
    ]
    keywords = [raised.source(keyword) for keyword in call_node.keywords if keyword.arg not in wanted_names]
    code = f"{raised.source(call_node.func)}({', '.join([*values, *keywords])})"
    words = f"Without its name, {wanted_names[-1]} is the argument at position {number}."
    if len(wanted_names) > 1:
        positions = in_a_sentence([str(place) for place in range(len(call_node.args), number + 1)], 4)
        words = f"Without their names, {names} are the arguments at the positions {positions}."
    cure = applied(FoundCure("by position", code, words), [edit_of(raised, over(call_node, code))])
    return call.explained(title, _COUNT_OF_ARGNUMS, [cure])


def argnums_error(call: Applied, number: str, passed_count: int) -> Explained:
    """Explains a number in argnums that is no position of an argument in the call.

    Args:
        call: The call of the transformed function.
        number: The value of argnums in JAX's message.
        passed_count: How many arguments the call passes by position.
    """
    is_single = not number.startswith("(")
    last_number = max(map(int, re.findall(r"-?\d+", number)))
    if (named := _by_name(call, last_number)) is not None:
        return named
    title = f"argnums={number} names no positional argument: the call passes {passed_count or 'none'}"
    if not is_single:
        title = f"argnums={number} names an argument that the call does not pass by position"
    option = call.option("argnums")
    text = _COUNT_OF_ARGNUMS
    if call.call is not None and len(call.call.args) == passed_count and len(call.parameters) >= passed_count > 1:
        numbered = [f"{name} (argnums={place})" for place, name in enumerate(call.parameters[:passed_count])]
        text += f" {_PASSED.format(names=in_a_sentence(numbered, 6))}"
    if (left_out := _left_out(call, last_number, passed_count)) is not None:
        return call.explained(title, text, [left_out])
    words = (
        f"Write in argnums a number from 0 to {passed_count - 1}."
        if passed_count
        else "Pass the arguments by position."
    )
    if passed_count == 1:
        words = "argnums=0 names the only positional argument of the call. Pass the other arguments by position, too."
    cure = FoundCure("argnums", None, words)
    if is_single and call.raised is not None and option is not None and passed_count == 1:
        words = f"argnums=0 names the first argument, {call.argument(0)}."
        first = applied(FoundCure("argnums", "0", words), [edit_of(call.raised, over(option, "0"))])
        # Another argnums asks for another derivative, so the cure is never an edit.
        return call.explained(title, text, call.as_advice([first]) or [cure])
    return call.explained(title, text, [cure])


def _left_out(call: Applied, number: int, passed_count: int) -> FoundCure | None:
    """Return the cure that passes a parameter by position which argnums names, and which the call leaves out.

    None if the function has no such parameter, or if a parameter before it has no default value.

    Args:
        call: The call of the transformed function.
        number: The largest number in argnums.
        passed_count: How many arguments the call passes by position.
    """
    raised, call_node, definition = call.raised, call.call, call.definition
    if raised is None or call_node is None or definition is None or len(call_node.args) != passed_count:
        return None
    at, function = definition
    parameters = [part.arg for part in [*function.args.posonlyargs, *function.args.args]]
    defaults = dict(zip(parameters[::-1], function.args.defaults[::-1], strict=False))
    wanted = parameters[passed_count : number + 1]
    is_passed = {keyword.arg for keyword in call_node.keywords} & {*wanted, None}
    if len(parameters) <= number or is_passed or not all(name in defaults for name in wanted):
        return None
    name, default = wanted[-1], defaults[wanted[-1]]
    words = _LEFT_OUT.format(number=number, name=name, function=call.name, value=at.source(default))
    cure = FoundCure("by position", None, f"{words} Pass {name} by position.")
    is_float = isinstance(default, ast.Constant) and type(default.value) is float
    if not is_float or not all(isinstance(defaults[other], ast.Constant) for other in wanted):
        return cure
    values = [at.source(defaults[other]) for other in wanted]
    arguments = [*map(raised.source, call_node.args), *values, *map(raised.source, call_node.keywords)]
    code = f"{raised.source(call_node.func)}({', '.join(arguments)})"
    return applied(replace(cure, code=code), [edit_of(raised, over(call_node, code))])


_LEFT_OUT = (
    "The position {number} in argnums is that of {name}. The call of {function} leaves {name} out, and {name} has its "
    "default value {value}."
)
