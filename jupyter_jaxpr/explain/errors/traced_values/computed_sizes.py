"""Explains a size that a traced function computes from array values, such as the k of `top_k`."""

from __future__ import annotations

import ast

from ....jax.facts import is_tracer_type
from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax
from ..failing_code.called_names import called
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import line_of, value_of
from ..failing_code.place_of_error import RaisedAt

#: Functions with an argument k that sets the length of an axis of the result.
_TAKE_K = frozenset({"top_k", "approx_max_k", "approx_min_k"})
#: Functions whose result for a smaller size is the beginning of the result for a larger size.
_ARE_STARTS = frozenset({"zeros", "ones", "full", "one_hot"}) | _TAKE_K
SURPLUS = (
    "Compute with the largest possible size, and leave out the surplus elements by a mask, such as {mask} for the "
    "size 10."
)
NEED_OF_K = "The result has k elements along an axis, so JAX must know k while it traces."


def traced_k(raised: RaisedAt) -> ast.expr | None:
    """Return the expression of a traced k in a call such as jax.lax.top_k(x, k); None for any other call."""
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) not in _TAKE_K or not is_of_jax(value_of(raised, call.func)):
        return None
    node = passed_node(raised, "k")
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} if node is not None else set()
    return node if names & raised.tracers.keys() else None


def computed_size(raised: RaisedAt, node: ast.expr | None) -> tuple[str, FoundCure | None] | None:
    """Return the sentence and the advice for a size that the function computes.

    None if the size is an argument or a number. The advice is to use the largest size and a mask. It is None for a
    function such as linspace, whose elements all depend on the size.

    Args:
        raised: Where the error was raised.
        node: The expression of the size.
    """
    if not isinstance(node, ast.Name) or raised.frame is None:
        return None
    value = value_of(raised, node)
    line = line_of(value) if is_tracer_type(type(value)) and not value.shape else None
    if line is None:
        return None
    sentence = f"Line {line} computed the value of {node.id}."
    if not _is_start(raised):
        return sentence, None
    words = SURPLUS.format(mask=f"{jnp_name(raised)}.arange(10) < {node.id}")
    return sentence, FoundCure("a mask", None, words)


def _is_start(raised: RaisedAt) -> bool:
    """Return whether the failing JAX call gives the beginning of the same result for a smaller size."""
    call = raised.node
    if not isinstance(call, ast.Call) or not is_of_jax(value_of(raised, call.func)):
        return False
    if called(call) == "arange":
        return len(call.args) == 1 and all(keyword.arg == "dtype" for keyword in call.keywords)
    return called(call) in _ARE_STARTS


def size_node(raised: RaisedAt | None, argument: str | None) -> ast.expr | None:
    """Return the expression of the argument whose value is needed. In arange(n), JAX calls the only argument `stop`."""
    call = raised.node if raised is not None else None
    if argument == "stop" and called(call) == "arange" and isinstance(call, ast.Call) and len(call.args) == 1:
        return call.args[0]
    return passed_node(raised, argument)
