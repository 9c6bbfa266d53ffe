"""Explains one integer where a function of JAX takes a tuple, as in lax.reduce(x, 0.0, lax.add, 0)."""

from __future__ import annotations

import ast
import re
from typing import Any

from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax
from ..message_tables.argument_messages import TUPLE_OF_INTEGERS

_NO_TUPLE = re.compile(r"^'int' object is not iterable|^len\(\) of unsized object|^object of type 'int' has no len\(\)")
_MOST = 3  # only this many integers among the arguments of a call are tried as tuples


def bare_integer_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an integer in the place of a tuple, if exactly one integer of the call can become a tuple."""
    call = raised.node if raised is not None and raised.frame is not None else None
    if raised is None or not isinstance(call, ast.Call) or not isinstance(error, TypeError):
        return None
    if not _NO_TUPLE.search(message_of(error)) or not was_raised_in_jax(error):
        return None
    if not is_of_jax(value_of(raised, call.func)):
        return None
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    integers = [argument for argument in arguments if _is_integer(raised, argument)][:_MOST]
    words = TUPLE_OF_INTEGERS[1]
    found = []
    for argument in integers:
        code = f"({raised.source(argument)},)"
        cure = applied(FoundCure("a tuple", code, words), [edit_of(raised, over(argument, code))])
        found += [(argument, tried) for tried in passed(raised, [cure]) if tried.level == "applies"]
    if len(found) != 1:
        return None
    argument, cure = found[0]
    source_of_integer = " ".join(raised.source(argument).split())
    title = f"{called(call)} takes a tuple of integers, but {source_of_integer} is one integer"
    return Explained(None, title, "A function of JAX takes the numbers of all axes as one tuple.", (cure,))


def _is_integer(raised: RaisedAt, node: ast.expr) -> bool:
    value: Any = node.value if isinstance(node, ast.Constant) else value_of(raised, node)
    return type(value) is int or (dtype_of(value).startswith(("int", "uint")) and value.ndim == 0)
