"""Explains one float where a function of JAX takes an integer, as in `jax.random.permutation(key, 100 / 2)`."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called, called_by_name
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import integer_of
from ..failing_code.only_assignments import only_value
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax

_NO_INTEGER = re.compile(
    r"^'float' object cannot be interpreted as an integer|^x must be an integer or at least 1-dimensional|"
    r"^Indexer must have integer or boolean type, got indexer with type float|"
    r"^index arguments to \w+ must be integers of the same type, got: float"
)
_WHOLE_QUOTIENT = "// divides integers and gives an integer, rounded down."
_MOST = 4  # only this many floats among the arguments of a call are tried as integers


def float_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a float in the place of an integer, if exactly one float of the call can become an integer."""
    if raised is None or raised.frame is None or not isinstance(error, TypeError):
        return None
    if not _NO_INTEGER.search(message_of(error).strip()) or not touches_jax(error):
        return None
    return _in_call(raised) or _named_quotient(raised)


def _in_call(raised: RaisedAt) -> Explained | None:
    call = raised.node
    if not isinstance(call, ast.Call):
        return None
    is_range = called_by_name(call) == "range" and value_of(raised, call.func) is None
    if not is_range and not is_of_jax(value_of(raised, call.func)):
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
            name, words = "//", _WHOLE_QUOTIENT
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


def _named_quotient(raised: RaisedAt) -> Explained | None:
    """Explains x[:half] after half = n / 2: the edit writes // in the line that computes the only float."""
    node = raised.node
    indices = node.slice if isinstance(node, ast.Subscript) else node
    if indices is None or not isinstance(node, ast.Subscript | ast.Call):
        return None
    names = {part.id: part for part in ast.walk(indices) if isinstance(part, ast.Name)}
    floats = [name for name, part in names.items() if type(value_of(raised, part)) is float]
    scope = raised.function or (raised.loops.module if raised.loops is not None else None)
    quotient = only_value(scope, floats[0]) if len(floats) == 1 else None
    match quotient:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            code = f"{raised.source(left)} // {raised.source(right)}"
        case _:
            return None
    name, source = floats[0], " ".join(raised.source(quotient).split())
    title = f"{name} is a float, but must be an integer in {raised.text}"
    text = f"Line {quotient.lineno} computes {name} as {source}. Python's / gives a float, also for two integers."
    words = _WHOLE_QUOTIENT
    cures = passed(raised, [applied(FoundCure("//", code, words), [edit_of(raised, over(quotient, code))])])
    return Explained(None, title, text, tuple(cures)) if cures else None


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
