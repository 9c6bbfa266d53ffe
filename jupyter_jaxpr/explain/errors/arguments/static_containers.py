"""Makes the edits for a static argument that is a dict or an array: not static, or a tuple of the entries."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

from ....interruptions import not_of_a_signal
from ....observe.observation import Edit, FoundCure, Place
from ....plain_text import own_name
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import Change, applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from .static_argument_edits import jits_of, parameters_of


def not_static_cure(raised: RaisedAt, call: ast.Call, name: str) -> list[FoundCure]:
    """Return the cure that takes an argument out of the static arguments of jax.jit, if JAX can trace the argument.

    Args:
        raised: The place of the failing call.
        call: The call of the jitted function.
        name: The parameter that is static.
    """
    function = value_of(raised, call.func)
    jit = _jit_of(raised, function)
    code = _without(raised, jit.node, name, parameters_of(function)) if jit is not None else None
    if jit is None or code is None:
        return []
    words = f"Without {name} in the static arguments, JAX traces {name}, and compiles once for all values of {name}."
    cure = applied(FoundCure("not static", code, words), [Edit(jit.place, code)])
    return [tried for tried in passed(raised, [cure]) if tried.level == "applies"]


class _Jit(NamedTuple):
    """The call of jax.jit, or of partial with jax.jit, that makes a jitted function.

    Attributes:
        place: The place of the call.
        node: The call.
    """

    place: Place
    node: ast.Call


def _jit_of(raised: RaisedAt, function: Any) -> _Jit | None:
    jits = list(jits_of(raised, own_name(function, "__name__") or ""))
    if len(jits) != 1:
        return None
    file, scope, node, _ = jits[0]
    if not isinstance(node, ast.Call) or node.end_lineno is None or node.end_col_offset is None:
        return None
    return _Jit(Place(file, node.lineno, scope, node.col_offset, node.end_lineno, node.end_col_offset), node)


def _called_directly(raised: RaisedAt, jit: ast.Call, keywords: Sequence[str]) -> str:
    """Return the code of a jit with other options; `partial(jax.jit, ...)` becomes `jax.jit(...)`."""
    maker, *arguments = map(raised.source, [jit.func, *jit.args])
    if called(jit) == "partial" and arguments:
        maker, *arguments = arguments
    return f"{maker}({', '.join([*arguments, *keywords])})" if keywords or arguments else maker


def _without(raised: RaisedAt, jit: ast.Call, name: str, parameters: list[str]) -> str | None:
    """Return the code of a jit without an argument in its static arguments; None if the options are no literals."""
    keywords = []
    is_found = False
    for keyword in jit.keywords:
        if keyword.arg not in ("static_argnums", "static_argnames"):
            keywords.append(raised.source(keyword))
            continue
        try:
            written = ast.literal_eval(keyword.value)
        except not_of_a_signal(ValueError):
            return None
        elements = list(written) if isinstance(written, tuple | list) else [written]
        others = [element for element in elements if not _is_parameter(element, name, parameters)]
        is_found = is_found or len(others) < len(elements)
        if others:
            elements = [f'"{other}"' if type(other) is str else repr(other) for other in others]
            keywords.append(f"{keyword.arg}=({', '.join(elements)}{',' * (len(elements) == 1)})")
    if not is_found:
        return None
    return _called_directly(raised, jit, keywords)


def _is_parameter(element: Any, name: str, parameters: list[str]) -> bool:
    """Return whether an element of static_argnums or static_argnames stands for a parameter."""
    if type(element) is int and -len(parameters) <= element < len(parameters):
        return parameters[element] == name
    return bool(element == name)


def entries_cure(raised: RaisedAt, call: ast.Call, name: str, node: ast.expr) -> list[FoundCure]:
    """Return the cure that passes the entries of a static dict as a tuple, from which the function makes the dict.

    Args:
        raised: The place of the failing call.
        call: The call of the jitted function.
        name: The parameter that is static.
        node: The code of the dict.
    """
    function_name = own_name(value_of(raised, call.func), "__name__")
    function, jit = function_of_text(raised, function_name), _jit_of(raised, value_of(raised, call.func))
    if not isinstance(function, ast.FunctionDef) or jit is None:
        return []
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    if not body:
        return []
    first = f"{name} = dict({name})\n{raised.source_of_statement(body[0])}"
    changes: list[Change] = [over(body[0], first), over(node, f"tuple(sorted({raised.source(node)}.items()))")]
    words = f"Python can hash a tuple of the entries of {name}, and {function_name} makes a dict from the tuple."
    edits = [edit_of(raised, change) for change in changes]
    cure = FoundCure("a tuple", changes[1][2], words)
    # The trial calls jax.jit itself, because a trial calls no partial.
    direct = _called_directly(raised, jit.node, [*map(raised.source, jit.node.keywords)])
    tried = passed(raised, [applied(cure, [Edit(jit.place, direct), *edits])])
    return [applied(cure, edits) for passed_cure in tried if passed_cure.level == "applies"]
