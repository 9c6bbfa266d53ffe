"""Explains integers where a function of JAX takes floats, as in `odeint(f, y0, jnp.arange(0, 10))`."""

from __future__ import annotations

import ast
import re

from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import replacing
from ..failing_code.expression_shapes import type_of_array
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import dtype_of, type_of_new_array, value_of
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax

_NO_FLOATS = re.compile(r"^(?P<argument>\w+) must be an array of floats, but got ")

_INTEGER_CARRY = re.compile(
    r"^(?:scan|while_loop) body function carry input and carry output must have equal types.*?has type "
    r"(?P<before>u?int\d+\[[\d,]*\]) but .*?has type (?P<after>float\d+)\[",
    re.DOTALL,
)
_MOST = 4  # only this many arguments of a call are tried as floats
_LOOPS = frozenset({"scan", "while_loop", "fori_loop", "map", "associative_scan"})


def integers_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an array of integers as an argument that must be an array of floats, such as the times of odeint."""
    if raised is None or raised.frame is None or not isinstance(error, TypeError | ValueError):
        return None
    text = message_of(error).strip()
    if (carried := _INTEGER_CARRY.search(text)) is not None and was_raised_in_jax(error):
        return _carried(raised, carried)
    match = _NO_FLOATS.match(text)
    if match is None or not was_raised_in_jax(error):
        return None
    name = match["argument"]
    node = passed_node(raised, name)
    title = f"{called(raised.node)} takes floats as its argument {name}"
    cure = FoundCure("floats", None, "Convert the array with .astype(float), or write its numbers as floats.")
    if node is None:
        return Explained(None, title, "", (cure,))
    value, source = value_of(raised, node), " ".join(raised.source(node).split())
    kind = type_of(value) or type_of_new_array(raised, node)
    title = f"{title}, but {source} is {kind}" if kind else f"{title}, but gets {source}"
    return Explained(None, title, "", tuple(_converted(raised, node)) or (cure,))


def _converted(raised: RaisedAt, node: ast.expr) -> list[FoundCure]:
    """Return the cure that converts an array to floats; empty if its trial failed."""
    value, source = value_of(raised, node), " ".join(raised.source(node).split())
    is_one = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    code = f"{source if is_one else f'({source})'}.astype(float)"
    if value is not None and not dtype_of(value):
        code = f"{jnp_name(raised)}.asarray({source}, float)"
    words = f"{code} has the same numbers as floats."
    return passed(raised, [replacing(raised, node, "floats", code, words)])


def _carried(raised: RaisedAt, match: re.Match[str]) -> Explained | None:
    """Explains an array of integers that a function such as odeint carries through a loop as floats.

    None for a loop in the user's code, and if not exactly one conversion of an argument passes its trial.
    """
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) in _LOOPS or any(isinstance(n, ast.Starred) for n in call.args):
        return None
    integers = [node for node in call.args if type_of_array(raised, node).startswith(("i", "u"))]
    found = []
    for node in integers[:_MOST]:
        found += [(node, cure) for cure in _converted(raised, node) if cure.level == "applies"]
    if len(found) != 1:
        return None
    node, cure = found[0]
    title = f"{called(call)} needs floats, but {' '.join(raised.source(node).split())} is {type_of_array(raised, node)}"
    before, after = match["before"], match["after"]
    text = f"{called(call)} runs a loop whose carry has the type {before} before a step, and {after} after the step."
    return Explained(None, title, text, (cure,))
