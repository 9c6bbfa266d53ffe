"""Explains jnp.array([1, 2], [3, 4]), whose rows must be one list: the second argument is the dtype."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax


def rows_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call of array or asarray with each row as an argument of its own."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(error, TypeError | ValueError) or not was_raised_in_jax(error):
        return None
    if not isinstance(call, ast.Call) or called(call) not in ("array", "asarray") or len(call.args) < 2:
        return None
    if not all(isinstance(argument, ast.List | ast.Tuple) for argument in call.args):
        return None
    name = raised.source(call.func)
    rows = f"[{', '.join(map(raised.source, call.args))}]"
    code = f"{name}({', '.join([rows, *map(raised.source, call.keywords)])})"
    title = f"{name} takes all rows as one list"
    cure = FoundCure("one list", code, f"Write the rows in one list: the second argument of {name} is the dtype.")
    return Explained(None, title, "", tuple(passed(raised, [applied(cure, [edit_of(raised, over(call, code))])])))
