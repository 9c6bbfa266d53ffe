"""Explains jax.jvp(f, x, t): the arguments and the tangents are two tuples."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import operands, value_of
from ..failing_code.place_of_error import RaisedAt

_NO_TUPLES = re.compile(r"^primal and tangent arguments to jax\.jvp must be tuples or lists; found (\w+) and (\w+)")


def tangent_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call of jvp whose arguments or tangents are no tuple, and writes both tuples."""
    match = _NO_TUPLES.match(message_of(error).strip()) if isinstance(error, TypeError) else None
    call = raised.node if raised is not None else None
    if match is None or raised is None or not isinstance(call, ast.Call) or called(call) != "jvp":
        return None
    if len(call.args) != 3 or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    nodes = [node for node in call.args[1:] if not isinstance(node, ast.Tuple | ast.List)]
    nodes = [node for node in nodes if type(value_of(raised, node)) not in (tuple, list)]
    sources = [" ".join(raised.source(node).split()) for node in call.args[1:]]
    title = "jvp takes the arguments as one tuple, and the tangents as another tuple"
    codes = [f"({source},)" if node in nodes else source for node, source in zip(call.args[1:], sources, strict=True)]
    edits = [edit_of(raised, over(node, f"({raised.source(node)},)")) for node in nodes]
    code = f"{raised.source(call.func)}({raised.source(call.args[0])}, {', '.join(codes)})"
    words = "Each tuple has one element for each argument of the function."
    cure = applied(FoundCure("tuples", code, words), edits)
    tuples = passed(raised, [cure]) or [FoundCure("tuples", None, words)]
    return Explained(None, title, operands(raised, nodes), tuple(tuples))
