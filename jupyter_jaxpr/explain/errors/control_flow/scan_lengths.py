"""Explains a scan over arrays of different lengths: gives the length of each array by the user's names."""

from __future__ import annotations

import ast
import re
from typing import Any

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.operand_nodes import is_array
from ..failing_code.origins import value_in, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.jax_messages import ELEMENTS_OF_XS

_LENGTHS = re.compile(r"^scan got values with different leading axis sizes: ([\d, ]+?)\.?$", re.MULTILINE)
ONE_LENGTH = "Cut or pad the arrays to one length."
_MOST = 4
#: Function -> the position of its argument that holds the arrays.
_PLACES = {"scan": 2, "map": 1}


def scan_length_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains lax.scan(step, carry, (xs, ys)) with xs and ys of different lengths."""
    match = _LENGTHS.search(message_of(error).strip()) if isinstance(error, ValueError) else None
    if match is None:
        return None
    lengths = [int(length) for length in match[1].split(",")]
    lengths_text = match[1]
    title = f"The arrays in the xs of a scan have different lengths: {lengths_text}"
    explanation = ELEMENTS_OF_XS
    arrays = _arrays(raised) if raised is not None else None
    if raised is not None and arrays is not None:
        names = _names(raised, arrays, lengths)
        if names is not None:
            parts = [f"{name} has the length {length}" for name, length in zip(names, lengths, strict=True)]
            explanation = f"{explanation} {in_a_sentence(parts, _MOST)}."
    words = ONE_LENGTH
    if raised is None or arrays is None or _is_list(raised, arrays):
        words = (
            "A scan does not run over the arrays of a list. Write a Python loop over a list of different arrays; cut "
            "or pad arrays that belong together to one length."
        )
    return Explained(None, title, explanation, (FoundCure("same length", None, words),))


def _arrays(raised: RaisedAt) -> ast.expr | None:
    """Return the argument of the failing call that holds the arrays over which scan or map iterates."""
    call = raised.node
    if not isinstance(call, ast.Call) or raised.frame is None:
        return None
    place = _PLACES.get(called(call), len(call.args))
    named = [keyword.value for keyword in call.keywords if keyword.arg == "xs"]
    return next(iter([*named, *call.args[place : place + 1]]), None)


def _is_list(raised: RaisedAt, arrays: ast.expr) -> bool:
    """Return whether the arrays are in a list, which may be the layers of a model rather than the xs of a scan."""
    return isinstance(arrays, ast.List) or type(value_of(raised, arrays)) is list


def _names(raised: RaisedAt, arrays: ast.expr, lengths: list[int]) -> list[str] | None:
    """Return the code of each array, in the order of the lengths in JAX's message.

    None if the code does not show the order.
    """
    import jax

    if isinstance(arrays, ast.Tuple | ast.List):
        if any(isinstance(part, ast.Constant | ast.Tuple | ast.List | ast.Dict | ast.Starred) for part in arrays.elts):
            return None  # an element that is a number or a container does not stand for exactly one array
        elements = [value_of(raised, element) for element in arrays.elts]
        names = [" ".join(raised.source(element).split()) for element in arrays.elts]
        return names if _have_lengths(elements, lengths) else None
    value = value_of(raised, arrays)
    if value is None:
        return None
    leaves = jax.tree_util.tree_flatten_with_path(value)[0]
    if not _have_lengths([leaf for _, leaf in leaves], lengths):
        return None
    names = [f"{raised.source(arrays)}{jax.tree_util.keystr(path)}" for path, _ in leaves]
    callers_names = _callers_names(raised, arrays, [leaf for _, leaf in leaves])
    if callers_names is None:
        return names
    return [f"{name} ({callers_name})" for name, callers_name in zip(names, callers_names, strict=True)]


def _have_lengths(values: list[Any], lengths: list[int]) -> bool:
    """Return whether arrays have the lengths in JAX's message; None among the arrays stands for an unknown array."""
    return len(values) == len(lengths) and all(
        value is None or (is_array(value) and value.shape[:1] == (length,))
        for value, length in zip(values, lengths, strict=True)
    )


def _callers_names(raised: RaisedAt, arrays: ast.expr, leaves: list[object]) -> list[str] | None:
    """Return the user's names of the arrays, from a call such as epoch(params, (xs, ys)).

    None if the caller passes no tuple.
    """
    if not isinstance(arrays, ast.Name) or raised.function is None or not raised.callers or raised.loops is None:
        return None
    parameters = [parameter.arg for parameter in raised.function.args.args]
    frame = raised.callers[-1]
    if arrays.id not in parameters or frame.f_code.co_filename != raised.place.file:
        return None
    found = []
    for call in ast.walk(raised.loops.module):
        if not isinstance(call, ast.Call) or not call.lineno <= frame.f_lineno <= (call.end_lineno or call.lineno):
            continue
        place = parameters.index(arrays.id)
        arguments = [keyword.value for keyword in call.keywords if keyword.arg == arrays.id]
        for argument in [*arguments, *call.args[place : place + 1]]:
            if isinstance(argument, ast.Tuple) and len(argument.elts) == len(leaves):
                values = [value_in({**frame.f_globals, **frame.f_locals}, element) for element in argument.elts]
                pairs = zip(values, leaves, strict=True)
                if all(is_array(value) and value.shape == getattr(leaf, "shape", None) for value, leaf in pairs):
                    found.append([raised.source(element) for element in argument.elts])
    return found[0] if len(found) == 1 else None
