"""Explains a registered class whose tree_flatten returns no pair, or that checks the values in tree_unflatten."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ....plain_text import function_of, message_of
from ..explanation import Explained
from ..failing_code.edits import edit_of, over
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of

_NO_PAIR = "The to_iterable function for a custom PyTree node should return a (children, aux_data) tuple"
_FLATTEN = frozenset({"tree_flatten", "flatten"})
_UNFLATTEN = frozenset({"tree_unflatten", "unflatten"})


def flattened_class_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error of the methods tree_flatten and tree_unflatten of a registered class."""
    if raised is None or raised.loops is None:
        return None
    if isinstance(error, ValueError) and message_of(error).strip().startswith(_NO_PAIR):
        return _no_pair(raised)
    return _checked(raised)


def _no_pair(raised: RaisedAt) -> Explained | None:
    """Explains tree_flatten that returns the children alone; None if the code has no or several such methods."""
    nodes = ast.walk(raised.loops.module) if raised.loops is not None else ()
    methods = [
        (part, method)
        for part in nodes
        if isinstance(part, ast.ClassDef)
        for method in part.body
        if isinstance(method, ast.FunctionDef) and method.name in _FLATTEN
    ]
    if len(methods) != 1:
        return None
    owner, method = methods[0]
    title = f"{method.name} of {owner.name} must return a pair: the children and the auxiliary data"
    words = "Return the children as one tuple, and the auxiliary data, which is None for a class without settings."
    result = result_of(method)
    if result is None:
        return Explained(None, title, "", (FoundCure("a pair", None, words),))
    source = " ".join(raised.source(result).split())
    text = f"{method.name} returns {source} (line {result.lineno})."
    is_tuple = isinstance(result, ast.Tuple)
    code = f"return {source if source.startswith('(') else f'({source})'}, None" if is_tuple else None
    return Explained(edit_of(raised, over(result, "")).place, title, text, (FoundCure("a pair", code, words),))


def _checked(raised: RaisedAt) -> Explained | None:
    """Explains an assert or a raise in the code that tree_unflatten of a registered class calls."""
    statement, owner = raised.statement_of(raised.node), raised.around(ast.ClassDef)
    if not isinstance(statement, ast.Assert | ast.Raise) or not isinstance(owner, ast.ClassDef):
        return None
    callers = [function_of(frame.f_code).rpartition(".") for frame in raised.callers]
    of_class = [name for scope, _, name in callers if scope.rpartition(".")[2] == owner.name]
    method = next((name for name in of_class if name in _UNFLATTEN), None)
    if method is None or not raised.in_trace:  # the user's own code may call a method of this name, too
        return None
    name = owner.name
    title = f"{name} checks its values, but JAX makes objects of {name} with other values"
    text = (
        f"{method} makes an object of {name} of the results of a function, or of objects that are no arrays. The check "
        f"in line {statement.lineno} does not allow these values."
    )
    words = (
        f"Let {method} make the object without the check, with new = object.__new__(cls), and set the fields of new "
        "from the children."
    )
    return Explained(None, title, text, (FoundCure("object.__new__", None, words),))
