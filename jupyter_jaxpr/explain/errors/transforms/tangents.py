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
from ..message_tables.jax_messages import DTYPE_OF_TANGENT, TYPE_OF_TANGENT

_STRUCTURES = re.compile(r"^primal and tangent arguments to jax\.jvp must have the same tree structure")
_DTYPES = re.compile(
    r"^primal and tangent arguments to jax\.jvp do not match; .*?Got primal dtype (?P<wanted>\w+) .*? but got tangent "
    r"dtype (?P<got>\w+)"
)
_NO_TUPLES = re.compile(r"^primal and tangent arguments to jax\.jvp must be tuples or lists; found (\w+) and (\w+)")


def tangent_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call of jvp whose arguments or tangents are no tuple, and writes both tuples."""
    text = message_of(error).strip() if isinstance(error, TypeError) else ""
    match = _NO_TUPLES.match(text)
    call = raised.node if raised is not None else None
    if raised is not None and isinstance(call, ast.Call) and called(call) == "jvp" and len(call.args) == 3:
        if _STRUCTURES.match(text):
            return _other_container(raised, call)
        if (dtypes := _DTYPES.match(text)) is not None:
            return _integers(raised, call, dtypes["wanted"], dtypes["got"])
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


def _other_container(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jax.jvp(f, (x, y), [dx, dy]): both must be tuples, or both lists."""
    match call.args[1:]:
        case [ast.Tuple(elts=arguments), ast.List(elts=tangents) as wrong] | [
            ast.List(elts=arguments) as wrong,
            ast.Tuple(elts=tangents),
        ] if len(arguments) == len(tangents):
            pass
        case _:
            return None
    parts = ", ".join(map(raised.source, wrong.elts))
    code = f"({parts},)" if len(wrong.elts) == 1 else f"({parts})"
    words = "Write a tuple in place of the list."
    cures = passed(raised, [applied(FoundCure("a tuple", code, words), [edit_of(raised, over(wrong, code))])])
    if not cures:
        return None
    title = "The arguments and the tangents of jvp are a tuple and a list"
    text = "The tangents need the structure of the arguments, and a list is another structure than a tuple."
    return Explained(None, title, text, tuple(cures))


def _integers(raised: RaisedAt, call: ast.Call, wanted: str, got: str) -> Explained | None:
    """Explains the integer tangents in jax.jvp(f, (1.0,), (1,)); None if the code does not write the integers."""
    nodes = call.args[2].elts if isinstance(call.args[2], ast.Tuple | ast.List) else []
    integers = [node for node in nodes if isinstance(node, ast.Constant) and type(node.value) is int]
    if not wanted.startswith("float") or not integers:
        return None
    edits = [edit_of(raised, over(node, f"{raised.source(node)}.0")) for node in integers]
    words = "Write the tangents as floats."
    cures = passed(raised, [applied(FoundCure("a float", None, words), edits)])
    if not cures:
        return None
    title = DTYPE_OF_TANGENT.format(dtype_of_tangent=got, dtype_of_argument=wanted)
    return Explained(None, title, TYPE_OF_TANGENT, tuple(cures))
