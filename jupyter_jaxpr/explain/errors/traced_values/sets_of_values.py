"""Makes the cures for `set(x)` of a traced array: the number of distinct values, or a result of fixed length."""

from __future__ import annotations

import ast

from ....jax.facts import is_tracer_type
from ....observe.observation import FoundCure
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt


def distinct_value_cures(raised: RaisedAt) -> list[FoundCure]:
    """Return the cures for set(x), where x is a traced array with one axis. An empty list for any other expression."""
    match raised.node:
        case ast.Call(func=ast.Name(id="set"), args=[array], keywords=[]) as call:
            value = value_of(raised, array)
        case _:
            return []
    if not is_tracer_type(type(value)) or dtype_of(value).startswith("key") or len(value.shape) != 1:
        return []
    jnp, source, outer = jnp_name(raised), raised.source(array), raised.parents.get(id(call))
    is_counted = bool(value.shape[0]) and not _is_in_text(raised, outer)
    match outer:
        case ast.Call(func=ast.Name(id="len"), args=[_], keywords=[]) if is_counted:
            # The code compares elements with !=. With a difference (jnp.diff), two infinite elements would give NaN.
            code = f"1 + {jnp}.sum({jnp}.sort({source})[1:] != {jnp}.sort({source})[:-1])"
            parent = raised.parents.get(id(outer))
            code = f"({code})" if isinstance(parent, ast.BinOp | ast.Compare | ast.UnaryOp) else code
            words = (
                f"{jnp}.sort places equal elements side by side. Each difference between neighbours is one more "
                "distinct value."
            )
            return [applied(FoundCure(f"{jnp}.sort", code, words), [edit_of(raised, over(outer, code))])]
    words = f"{jnp}.unique({source}, size=SIZE) returns the distinct values in an array of the fixed length SIZE."
    return [FoundCure(f"{jnp}.unique", None, words)]


def _is_in_text(raised: RaisedAt, node: ast.AST | None) -> bool:
    """Return whether an expression becomes part of a string, which cannot contain the value of a traced array."""
    parent = raised.parents.get(id(node))
    while isinstance(parent, ast.expr | ast.FormattedValue | ast.keyword):
        if isinstance(parent, ast.JoinedStr) or (isinstance(parent, ast.Call) and called(parent) in _TEXTS):
            return True
        parent = raised.parents.get(id(parent))
    return False


_TEXTS = frozenset("str repr print format".split())
