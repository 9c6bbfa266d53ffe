"""Explains a derivative rule whose parameters stand in another order than the arguments that JAX passes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....interruptions import not_of_a_signal
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import kind_name, message_of
from ..explanation import Explained
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text


def rule_parameters_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error in def bwd(residuals, n, g) of a function with nondiff_argnums: JAX passes n first.

    The proof is the name: a parameter of the rule has the name of an argument in nondiff_argnums, at another place.
    """
    rule = raised.function if raised is not None else None
    if raised is None or raised.loops is None or not raised.callers or not isinstance(rule, ast.FunctionDef):
        return None
    rest = rule.args.vararg or rule.args.kwonlyargs or rule.args.kwarg or rule.args.defaults or rule.args.posonlyargs
    parameters = [parameter.arg for parameter in rule.args.args]
    for name, kind, others in _rules_of(raised.loops.module, rule):
        first = _not_differentiated(raised, name)
        if rest or not first or len(parameters) != len(first) + 2 or parameters[: len(first)] == first:
            continue
        if not set(first) <= set(parameters):
            continue
        order = [*first, *(parameter for parameter in parameters if parameter not in first)]
        first_line = message_of(error).strip().partition("\n")[0].rstrip(".:")
        title = f"The parameters of {rule.name} stand in another order than the arguments that JAX passes"
        text = (
            f"JAX calls the {kind} of {name} with the arguments of nondiff_argnums first, here {in_a_sentence(first)}, "
            f"and then with {others}. In {rule.name}, the parameter {parameters[0]} gets the value of {first[0]}. The "
            f"line raised {kind_name(type(error))}: {first_line}."
        )
        code = f"def {rule.name}({', '.join(order)}):"
        words = f"Put {in_a_sentence(first)} first."
        return Explained(None, title, text, (FoundCure("the order", code, words),))
    return None


def _rules_of(module: ast.Module, rule: ast.FunctionDef) -> Iterator[tuple[str, str, str]]:
    """Yield the functions whose derivative rule a def is: the name, the kind of the rule, and its last arguments."""
    for node in ast.walk(module):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="defvjp"), args=[_, ast.Name(id=backward)]
            ) if backward == rule.name:
                yield name, "backward rule", "the residuals and the cotangent of the result"
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="defjvp"), args=[ast.Name(id=forward)]) if (
                forward == rule.name
            ):
                yield name, "rule", "the tuple of the other arguments and the tuple of their tangents"
    for decorator in rule.decorator_list:
        match decorator:
            case ast.Attribute(value=ast.Name(id=name), attr="defjvp"):
                yield name, "rule", "the tuple of the other arguments and the tuple of their tangents"


def _not_differentiated(raised: RaisedAt, name: str) -> list[str]:
    """Return the names of the arguments in nondiff_argnums of a decorated function; empty if the code is unclear."""
    function = function_of_text(raised, name)
    if not isinstance(function, ast.FunctionDef) or function.args.vararg:
        return []
    options = [
        keyword.value
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
        if keyword.arg == "nondiff_argnums"
    ]
    try:
        numbers = ast.literal_eval(options[0]) if len(options) == 1 else ()
    except not_of_a_signal(ValueError):
        return []
    numbers = (numbers,) if type(numbers) is int else numbers
    names = [parameter.arg for parameter in [*function.args.posonlyargs, *function.args.args]]
    is_clear = isinstance(numbers, tuple | list) and all(
        type(number) is int and 0 <= number < len(names) for number in numbers
    )
    return [names[number] for number in sorted(numbers)] if is_clear else []
