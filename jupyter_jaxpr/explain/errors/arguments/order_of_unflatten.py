"""Explains jax.tree.unflatten(leaves, treedef), whose arguments stand in the wrong order."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax

_NO_TREE = re.compile(r"^'\w+' object has no attribute 'unflatten'")


def unflatten_order_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call of unflatten whose first argument is no structure of a tree."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(error, AttributeError) or not _NO_TREE.match(message_of(error)):
        return None
    is_unflatten = called(call) in ("unflatten", "tree_unflatten") and was_raised_in_jax(error)
    if not isinstance(call, ast.Call) or not is_unflatten or len(call.args) != 2:
        return None
    leaves, structure = map(raised.source, call.args)
    title = f"{raised.source(call.func)} takes the structure of the tree first, and then the leaves"
    code = f"{raised.source(call.func)}({structure}, {leaves})"
    cure = applied(
        FoundCure("the order", code, "Pass the structure of the tree as the first argument."),
        [edit_of(raised, over(call, code))],
    )
    advice = FoundCure("the order", None, "Pass the structure that flatten returned, and then the leaves.")
    return Explained(None, title, "", tuple(passed(raised, [cure])) or (advice,))
