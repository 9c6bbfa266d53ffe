"""Rewrites calls of Python's module statistics that get a traced array as calls of jax.numpy."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name, namespace
from ..failing_code.place_of_error import RaisedAt
from .calls_of_numpy_and_math import WORKS_ON_TRACED

#: Function of statistics -> the function of jax.numpy and its further arguments.
_TWINS = {
    "mean": ("mean", ""),
    "fmean": ("mean", ""),
    "median": ("median", ""),
    "pstdev": ("std", ""),
    "stdev": ("std", ", ddof=1"),
    "pvariance": ("var", ""),
    "variance": ("var", ", ddof=1"),
}


def statistics_cure(raised: RaisedAt) -> FoundCure | None:
    """Return the cure that rewrites the failing call of statistics, and the other such calls of the function.

    None if the failing expression is no such call, or jax.numpy has no such function. Without a trial that passed,
    the cure has no edit.
    """
    code = _code(raised, raised.node)
    if code is None or raised.node is None:
        return None
    source = raised.source(raised.node.func) if isinstance(raised.node, ast.Call) else ""
    name = code.partition("(")[0]
    words = WORKS_ON_TRACED.format(code=name, function=source)
    around = raised.function if raised.function is not None else raised.statement_of(raised.node)
    calls = [(part, twin) for part in ast.walk(around or raised.node) if (twin := _code(raised, part)) is not None]
    cure = applied(FoundCure(name, code, words), [edit_of(raised, over(part, twin)) for part, twin in calls])
    return next(iter(passed(raised, [cure])), FoundCure(name, None, words))


def _code(raised: RaisedAt, node: ast.AST | None) -> str | None:
    """Return the code of a call of statistics with jax.numpy; None for any other node."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner)), args=[values], keywords=[]):
            module = getattr(namespace(raised).get(owner), "__name__", None)
        case ast.Call(func=ast.Name(id=function), args=[values], keywords=[]):
            module = getattr(namespace(raised).get(function), "__module__", None)
        case _:
            return None
    twin = _TWINS.get(called(node))
    if module != "statistics" or twin is None:
        return None
    jnp, source = jnp_name(raised), raised.source(values)
    if isinstance(values, ast.List | ast.Tuple | ast.ListComp):
        source = f"{jnp}.array({source})"
    return f"{jnp}.{twin[0]}({source}{twin[1]})"
