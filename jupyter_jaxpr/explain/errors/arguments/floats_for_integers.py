"""Explains one float where a function of JAX takes an integer, as in `jax.random.permutation(key, 100 / 2)`."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import integer_of
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax

_NO_INTEGER = re.compile(
    r"^'float' object cannot be interpreted as an integer|^x must be an integer or at least 1-dimensional"
)
_MOST = 4  # only this many floats among the arguments of a call are tried as integers


def float_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a float in the place of an integer, if exactly one float of the call can become an integer."""
    call = raised.node if raised is not None and raised.frame is not None else None
    if raised is None or not isinstance(call, ast.Call) or not isinstance(error, TypeError):
        return None
    if not _NO_INTEGER.search(message_of(error).strip()) or not touches_jax(error):
        return None
    if not is_of_jax(value_of(raised, call.func)):
        return None
    arguments = [
        part
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]
        for part in (argument.elts if isinstance(argument, ast.Tuple | ast.List) else [argument])
    ]
    found = []
    for node in [argument for argument in arguments if _as_integer(raised, argument) is not None][:_MOST]:
        code = _as_integer(raised, node) or ""
        name, words = "int", "Convert the float to an integer."
        if isinstance(node, ast.BinOp):
            name, words = "//", "// divides integers and gives an integer, rounded down."
        cure = applied(FoundCure(name, code, words), [edit_of(raised, over(node, code))])
        found += [(node, tried) for tried in passed(raised, [cure]) if tried.level == "applies"]
    if len(found) != 1:
        return None
    node, cure = found[0]
    source = " ".join(raised.source(node).split())
    title = f"{called(call)} takes an integer, but {source} is a float"
    explanation = "Python's / gives a float, also for two integers." if isinstance(node, ast.BinOp) else ""
    if isinstance(node, ast.Name):
        explanation = f"{source} is {value_of(raised, node)!r}."
    return Explained(None, title, explanation, (cure,))


def _as_integer(raised: RaisedAt, node: ast.expr) -> str | None:
    """Return the code of the integer in place of a float: a // b for a / b, 3 for 3.0, int(n) for n; else None."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        if integer_of(raised, node.left) is None or not integer_of(raised, node.right):
            return None
        return f"{raised.source(node.left)} // {raised.source(node.right)}"
    number = node.value if isinstance(node, ast.Constant) else value_of(raised, node)
    if type(number) is not float or not number.is_integer():
        return None
    return str(int(number)) if isinstance(node, ast.Constant) else f"int({raised.source(node)})"
