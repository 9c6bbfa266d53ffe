"""Finds the None in a pytree or in an initial carry that reached a user's function in place of an array."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....observe.observation import FoundCure
from ..control_flow.carries import carry_around
from ..failing_code.called_names import called
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from .jit_arguments import packages_of

_MAPS = frozenset({"map", "tree_map"})
PARTS_OF_MAP = (
    "jax.tree.map calls the function for each array of {first}, and passes the part of {other} at the same place."
)
_DEPTH = 6
_MOST = 1_000


def none_of_the_caller(raised: RaisedAt, name: str) -> tuple[str, tuple[FoundCure, ...]] | None:
    """Return where a None that a function got as an argument comes from; None if no jax.tree.map and no loop passed it.

    Returns:
        The sentences of the explanation, and the cures.
    """
    carry = carry_around(raised)
    if carry is not None and carry.parameter == name:
        if not isinstance(carry.start, ast.Constant) or carry.start.value is not None:
            return None
        loop = called(carry.loop)
        text = f"{name} is the carry, and {loop} starts with the carry None (line {carry.start.lineno})."
        words = f"Pass {loop} an initial carry of the type that the step returns, such as an array of zeros."
        return text, (FoundCure("an initial carry", None, words),)
    function = raised.function
    caller = at_caller(raised, raised.callers[-1]) if raised.callers else None
    call = caller.node if caller is not None else None
    if caller is None or function is None or not isinstance(call, ast.Call) or called(call) not in _MAPS:
        return None
    parameters = [parameter.arg for parameter in [*function.args.posonlyargs, *function.args.args]]
    place = parameters.index(name) if name in parameters else 0
    if not 0 < place < len(call.args) - 1 or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    first, tree = caller.source(call.args[1]), caller.source(call.args[place + 1])
    value = value_of(caller, call.args[place + 1])
    path = next(none_paths(value), None)
    if path is None:
        return _none_in_module(tree, value, first)
    text = f"{tree}{path} is None. {PARTS_OF_MAP.format(first=first, other=tree)}"
    first_parameter = parameters[0]
    words = f"Write an array in the place of None, or return {first_parameter} from the function if {name} is None."
    return text, (FoundCure("no None", None, words),)


def _none_in_module(tree: str, value: Any, first: str) -> tuple[str, tuple[FoundCure, ...]] | None:
    """Return where the None of a module of equinox is, such as the gradients of filter_grad; None for other trees."""
    import jax

    if "equinox" not in packages_of(value):
        return None
    leaves = jax.tree_util.tree_flatten_with_path(value, is_leaf=lambda leaf: leaf is None)[0]
    path = next((jax.tree_util.keystr(path) for path, leaf in leaves if leaf is None), None)
    if path is None:
        return None
    text = (
        f"{tree}{path} is None. jax.tree.map calls the function for each leaf of {first}, and passes the part "
        f"of {tree} at the same place."
    )
    words = "equinox.apply_updates(model, updates) adds the updates to the arrays of a module, and skips each None."
    return text, (FoundCure("equinox.apply_updates", None, words),)


def none_paths(tree: Any) -> Iterator[str]:
    """Yield the path of each None in the dicts, lists and tuples of a tree."""
    yield from (path for path, leaf in _leaves(tree, _DEPTH, [_MOST]) if leaf is None and path)


def leaf_at(tree: Any, path: str) -> Any:
    """Return the leaf at a path such as ['b'][0]; None without one."""
    return next((leaf for leaf_path, leaf in _leaves(tree, _DEPTH, [_MOST]) if leaf_path == path), None)


def _leaves(tree: Any, depth: int, left: list[int]) -> Iterator[tuple[str, Any]]:
    left[0] -= 1
    if left[0] < 0:
        return
    parts: list[tuple[Any, Any]] = []
    if depth and type(tree) is dict:
        parts = [(key, part) for key, part in tree.items() if type(key) in (str, int)]
    elif depth and type(tree) in (list, tuple):
        parts = list(enumerate(tree))
    else:
        yield "", tree
    for key, part in parts:
        yield from ((f"[{key!r}]{path}", leaf) for path, leaf in _leaves(part, depth - 1, left))
