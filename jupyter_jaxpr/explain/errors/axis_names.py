"""Explains a collective, such as psum, over an axis name that the mesh lacks; the message of JAX is empty."""

from __future__ import annotations

import ast

from ...observe.observation import FoundCure
from ...plain_text import message_of
from .constructs import called
from .explanation import Explained
from .raised import RaisedAt, was_raised_in_jax

_COLLECTIVES = frozenset(
    "psum pmean pmax pmin all_gather all_to_all ppermute psum_scatter axis_index axis_size pvary pcast".split()
)


def axis_name_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains `lax.psum(x, "j")` in a shard_map without an axis j, for which JAX 0.12 raises an AssertionError."""
    call = raised.node if raised is not None else None
    if not isinstance(error, AssertionError) or message_of(error).strip() or not was_raised_in_jax(error):
        return None
    if not isinstance(call, ast.Call) or called(call) not in _COLLECTIVES:
        return None
    arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "axis_name")]
    names = [
        argument.value for argument in arguments if isinstance(argument, ast.Constant) and type(argument.value) is str
    ]
    if len(names) != 1:
        return None
    title = f"No axis is named {names[0]} here"
    words = f"Write the name of an axis of the mesh in {called(call)}."
    cure = FoundCure("the name", None, words)
    return Explained(
        None, title, "shard_map, and vmap with axis_name, name the axes of the functions they call.", (cure,)
    )
