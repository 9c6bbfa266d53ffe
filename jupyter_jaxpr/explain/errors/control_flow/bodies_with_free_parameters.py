"""Wraps what a call of a JAX loop or conditional gets as a function: a body with further parameters, or a value."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import parameters_of
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.jax_messages import CALLS_OF_COND
from .returned_leaves import short_source

#: The construct -> the place of its body, the keyword of the body, and the number of arguments that the body gets.
_BODIES = {
    "scan": (0, "f", 2),
    "fori_loop": (2, "body_fun", 2),
    "while_loop": (1, "body_fun", 1),
    "map": (0, "f", 1),
}


def with_free_parameters(raised: RaisedAt, construct: str) -> FoundCure | None:
    """Return the cure of a body with further parameters, such as cell(params, carry, x) in a scan: a lambda.

    None unless the names of the further parameters have values at the call.

    Args:
        raised: Where the error was raised.
        construct: The called function, such as scan.
    """
    call = raised.node
    if construct not in _BODIES or not isinstance(call, ast.Call):
        return None
    place, keyword, number = _BODIES[construct]
    by_name = [option.value for option in call.keywords if option.arg == keyword]
    body = call.args[place] if len(call.args) > place else by_name[0] if by_name else None
    if not isinstance(body, ast.Name | ast.Attribute):
        return None
    parameters, names = parameters_of(value_of(raised, body)), namespace(raised)
    free = [name for name in parameters if name in names]
    surplus = len(parameters) - number
    if surplus < 1 or len(free) < surplus:
        return None
    # the further parameters stand first more often than last
    bound = free[:surplus]
    given = [name for name in parameters if name not in bound]
    source = raised.source(body)
    code = f"lambda {', '.join(given)}: {source}({', '.join(parameters)})"
    values = " and ".join(bound)
    words = f"{construct} passes {' and '.join(given)}. This lambda passes {values}, too."
    return applied(FoundCure("a lambda", code, words), [edit_of(raised, over(body, code))])


def branch_of_value(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains cond(test, lambda h: 2 * h, h / 2, h): the value becomes a function of the operands.

    None if both branches are values.

    Args:
        raised: Where the error was raised.
        call: The call of cond.
    """
    operands = [raised.source(part) for part in call.args[3:]]
    branches = [part for part in call.args[1:3] if not isinstance(part, ast.Lambda)]
    values = [part for part in branches if not callable(value_of(raised, part))]
    if len(values) != 1:
        return None
    source = raised.source(values[0])
    names = operands if all(part.isidentifier() for part in operands) else ["*_"]
    code = f"lambda {', '.join(names)}: {source}" if operands else f"lambda: {source}"
    words = "Each branch is a function of the operands that follow the branches."
    cure = applied(FoundCure("a function", code, words), [edit_of(raised, over(values[0], code))])
    tried = passed(raised, [cure])
    if not tried or tried[0].code is None:
        return None
    title = f"cond takes two functions, but {short_source(raised, values[0])} is a value"
    return Explained(None, title, CALLS_OF_COND, tuple(tried))
