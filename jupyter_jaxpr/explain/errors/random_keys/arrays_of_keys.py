"""Explains a call of `jax.random` that gets both keys of `keys = jax.random.split(key)` in the place of one key."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.only_assignments import only_assignment
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..message_tables.jax_messages import KEYS_FOR_ONE_KEY

_ARRAY = re.compile(r"^(?P<function>\w+) accepts a single key, but was given a key array of shape (?P<shape>\(.*?\))")


def array_of_keys_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an array of two keys of jax.random.split that the code does not unpack; None for other arrays of keys.

    The edit `key, subkeys = jax.random.split(key)` gives the name to one key, and the other key replaces the key.
    """
    match = _ARRAY.search(message_of(error).strip())
    if not isinstance(error, ValueError | TypeError) or match is None or raised is None:
        return None
    call = raised.node
    if not isinstance(call, ast.Call):
        return None
    first = next((keyword.value for keyword in call.keywords if keyword.arg == "key"), None)
    found = _split_behind(raised, call.args[0] if call.args else first)
    if found is None:
        return None
    at, statement = found
    split, names = statement.value, at.source(statement.targets[0])
    assert isinstance(split, ast.Call)
    split_source = " ".join(at.source(split).split())
    title = KEYS_FOR_ONE_KEY.format(function=match["function"], shape=match["shape"])
    text = (
        f"{split_source} (line {statement.lineno}) makes an array of two keys, and the code gives the whole array the "
        f"name {names}."
    )
    key = at.source(split.args[0])
    code = f"{key}, {names} = {split_source}"
    words = f"Unpack the two keys: one key is the new {key}, for later splits, and {names} is the other key."
    cure = applied(FoundCure("unpack the keys", code, words), [edit_of(at, over(statement, code))])
    return Explained(edit_of(at, over(split, "")).place, title, text, tuple(passed(at, [cure])))


def _split_behind(raised: RaisedAt, node: ast.expr | None) -> tuple[RaisedAt, ast.Assign] | None:
    """Return the assignment `keys = jax.random.split(key)` of two keys that gave a name its value, and its place.

    The name may be an argument of the failing function, whose caller has the assignment.
    """
    at = raised
    for _ in range(len(raised.callers) + 1):
        if not isinstance(node, ast.Name):
            return None
        scope = at.function or (at.loops.module if at.loops is not None else None)
        statement = only_assignment(scope, {node.id})
        if statement is not None:
            return (at, statement) if _is_split_in_two(statement.value) else None
        if at.function is None or not at.callers:
            return None
        parameters = [part.arg for part in [*at.function.args.posonlyargs, *at.function.args.args]]
        caller = at_caller(at, at.callers[-1])
        call, name = caller.node, getattr(at.function, "name", None)
        if node.id not in parameters or not isinstance(call, ast.Call) or called(call) != name:
            return None
        place = parameters.index(node.id) - (parameters[:1] == ["self"] and isinstance(call.func, ast.Attribute))
        by_name = next((keyword.value for keyword in call.keywords if keyword.arg == node.id), None)
        at, node = caller, by_name or (call.args[place] if place < len(call.args) else None)
    return None


def _is_split_in_two(node: ast.expr) -> bool:
    """Return whether an expression is split(key) or split(key, 2) for a key that is a name."""
    if not isinstance(node, ast.Call) or called(node) != "split" or not node.args or node.keywords:
        return False
    numbers = node.args[1:]
    is_two = not numbers or (len(numbers) == 1 and isinstance(numbers[0], ast.Constant) and numbers[0].value == 2)
    return is_two and isinstance(node.args[0], ast.Name)
