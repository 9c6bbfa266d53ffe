"""Explains a call that passes one array twice and donates the array.

The explanation names the two arguments that are the array, and the line of the code to change.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ....jax.transform_and_inputs_of_tracer import raised_calls
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import parameters_of
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over, shown
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.jax_messages import ARRAY_DONATED_TWICE, MEMORY_OF_DONATED

_TWICE = re.compile(
    r"^INVALID_ARGUMENT: Attempt to (?:donate the same buffer twice|use a buffer that was previously donated)"
)
_MOST = 3
_ELEMENTS = 1_000


def donated_twice_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call such as step(params, (zeros, zeros)) of a function that donates its arguments."""
    if raised is None or raised.frame is None or not _TWICE.search(message_of(error).strip()):
        return None
    call = raised.node
    if not isinstance(call, ast.Call):
        return None
    pairs = list(_pairs(_arguments(error, raised, call)))
    if not pairs:
        return None  # no array object is passed twice: two different JAX arrays share memory
    sentences = [
        f"The call passes {first} twice." if first == second else f"{first} and {second} are the same {_kind(value)}."
        for first, second, value in pairs[:_MOST]
    ]
    cure, place_sentence = _cure(raised, call, pairs)
    explanation = " ".join([*sentences, *filter(None, [place_sentence]), MEMORY_OF_DONATED])
    return Explained(None, ARRAY_DONATED_TWICE, explanation, (cure,))


def _arguments(error: BaseException, raised: RaisedAt, call: ast.Call) -> list[tuple[str, Any]]:
    """Return (code, value) for each argument of the call.

    An expression whose value is unknown has its parameter's name as code.
    """
    calls = raised_calls(error)
    parameters = parameters_of(calls[-1].function) if calls else []
    values = dict(zip(parameters, calls[-1].args, strict=False)) | dict(calls[-1].kwargs) if calls else {}
    nodes = [(parameters[n] if n < len(parameters) else "", node) for n, node in enumerate(call.args)]
    nodes += [(keyword.arg or "", keyword.value) for keyword in call.keywords]
    arguments = []
    for name, node in nodes:
        value = value_of(raised, node)
        arguments.append((raised.source(node), value) if value is not None else (name, values.get(name)))
    return arguments


def _pairs(arguments: list[tuple[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    """Yield each array or container that the call passes at two places: the two places and the value.

    An outer container comes before its elements.
    """
    seen: dict[int, str] = {}
    parts = list(arguments)
    for path, value in parts:
        if len(parts) > _ELEMENTS:
            return
        kind = type(value)
        if not dtype_of(value) and (kind not in (dict, list) and not isinstance(value, tuple) or not value):
            continue
        if id(value) in seen:
            yield seen[id(value)], path, value
            continue
        seen[id(value)] = path
        if not dtype_of(value) and len(value) > _ELEMENTS:
            continue
        if kind is dict:
            parts += [(f"{path}[{key!r}]", element) for key, element in value.items() if type(key) in (str, int)]
        elif hasattr(kind, "_fields"):
            parts += [(f"{path}.{name}", element) for name, element in zip(kind._fields, value, strict=False)]
        elif not dtype_of(value):
            parts += [(f"{path}[{number}]", element) for number, element in enumerate(value)]


def _kind(value: Any) -> str:
    return "array" if dtype_of(value) else type(value).__name__


def _cure(raised: RaisedAt, call: ast.Call, pairs: list[tuple[str, str, Any]]) -> tuple[FoundCure, str | None]:
    """Return the cure that copies the array where the call passes the array for the second time.

    The second result is a sentence on the earlier line that put the array there; None without such a line.
    """
    _, second, value = pairs[0]
    is_array = bool(dtype_of(value))
    words = "A copy is a new array with the same values."
    if not is_array:
        words = f"jax.tree.map copies each array. A copy of the {_kind(value)} alone would hold the same arrays."
    if len(pairs) > 1:
        places = in_a_sentence([place for _, place, _ in pairs], _MOST)
        return FoundCure("a copy", None, f"Pass copies of {places}, or do not donate the argument. {words}"), None
    found = _second_use(raised, call, second, value)
    if found is None:
        words = f"Pass a copy of {second}, or do not donate the argument. {words}"
        return FoundCure("a copy", _copied(raised, second, is_array), words), None
    node, sentence = found
    code = _copied(raised, raised.source(node), is_array)
    cure = applied(FoundCure("a copy", code, words), [edit_of(raised, over(node, code))])
    tried = passed(raised, [cure])
    if tried and tried[0].edits:
        return tried[0], sentence
    return replace(shown(cure), level="advice", edits=()), sentence


def _copied(raised: RaisedAt, source: str, is_array: bool) -> str:
    return f"{source}.copy()" if is_array else f"jax.tree.map({jnp_name(raised)}.copy, {source})"


def _second_use(raised: RaisedAt, call: ast.Call, path: str, value: Any) -> tuple[ast.expr, str | None] | None:
    """Return the expression of the array's second place, which must become a copy, and a sentence on its line.

    None if the source code does not show what to change.
    """
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    direct = [node for node in arguments if isinstance(node, ast.Name) and value_of(raised, node) is value]
    if len(direct) == 2 and raised.source(direct[0]) == raised.source(direct[1]):
        return direct[1], None
    root = re.split(r"[.\[]", path)[0]
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    scope = raised.function if raised.function is not None else module
    makers = [
        node
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == root
        and node.lineno < call.lineno
    ]
    if len(makers) != 1:
        return None
    names = [
        node for node in ast.walk(makers[0].value) if isinstance(node, ast.Name) and value_of(raised, node) is value
    ]
    source = raised.source(names[0]) if names else ""
    if makers[0].value in names:
        return names[0], f"Line {makers[0].lineno} makes {root} a second name of {source}."
    if len(names) == 2 and names[0].id == names[1].id:
        return names[1], f"Line {makers[0].lineno} puts {source} into {root} twice."
    return None
