"""Explains a string in the place of a number, as in optax.adam("1e-3"): a library computes with the string later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....interruptions import not_of_a_signal
from ....observe.observation import FoundCure
from ....plain_text import own_name
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import LIBRARIES, RaisedAt, was_raised_in_jax


def string_number_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call of a library of JAX, such as optax, with a number in quotation marks."""
    if raised is None or raised.loops is None or raised.frame is None or not was_raised_in_jax(error):
        return None
    if not isinstance(error, TypeError):
        return None
    strings = list(_strings(raised))
    if len(strings) != 1:
        return None
    call, argument, text = strings[0]
    source = " ".join(raised.source(argument).split())
    name = raised.source(call.func)
    option = next((f"{keyword.arg} of {name}" for keyword in call.keywords if keyword.value is argument), None)
    title = f"{option or name} takes a number, but {source} is a string"
    is_here = raised.place.line in range(call.lineno, (call.end_lineno or call.lineno) + 1)
    explanation = "" if is_here else f"Line {call.lineno} passes the string to {name}."
    code = text.strip() if isinstance(argument, ast.Constant) else f"float({source})"
    cure = FoundCure("a number", code, f"Write {code} in place of {source}.")
    cures = passed(raised, [applied(cure, [edit_of(raised, over(argument, code))])])
    return Explained(None, title, explanation, tuple(cures))


def _strings(raised: RaisedAt) -> Iterator[tuple[ast.Call, ast.expr, str]]:
    """Yield (call, argument, string) for each call of a JAX library that passes a number as a string.

    The calls are those in the failing file.
    """
    assert raised.loops is not None
    for call in ast.walk(raised.loops.module):
        if not isinstance(call, ast.Call):
            continue
        # A function of JAX computes at once, so a string that an earlier call passed to JAX is not the cause.
        packages = LIBRARIES | {"jax"} if call is raised.node else LIBRARIES
        if not _is_of_library(raised, call.func, packages):
            continue
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            text = argument.value if isinstance(argument, ast.Constant) else value_of(raised, argument)
            if type(text) is str and _is_number(text):
                yield call, argument, text


def _is_of_library(raised: RaisedAt, function: ast.expr, packages: frozenset[str]) -> bool:
    """Return whether an expression is a function or a class of one of the packages, such as optax.adam or nn.Dense."""
    root = function
    while isinstance(root, ast.Attribute):
        root = root.value
    value: Any = namespace(raised).get(root.id) if isinstance(root, ast.Name) else None
    names = (own_name(value, "__module__"), own_name(value, "__name__"))
    if isinstance(function, ast.Attribute):
        names = (own_name(value, "__name__"), None)
    return any((name or "").partition(".")[0] in packages for name in names)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except not_of_a_signal(ValueError):
        return False
    return text.strip()[:1] in "0123456789.-+"
