"""Names the two leaves of a jax.tree.map, or of optax.apply_updates, whose shapes do not fit together."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller

#: Functions that compute with the leaves at the same place of two trees -> the position of the first tree.
_MAPS = {"map": 1, "tree_map": 1, "apply_updates": 0}
#: The largest number of leaves that the search compares.
_MOST = 2_000


def with_leaves(explained: Explained, raised: RaisedAt | None, shapes: list[str]) -> Explained:
    """Return the explanation with a sentence that names the leaves of the two shapes, if the call maps two trees.

    Args:
        explained: The explanation of two shapes that do not fit together.
        raised: Where the error was raised.
        shapes: The two shapes, as JAX's message has them.
    """
    if raised is None or len(shapes) != 2:
        return explained
    at = raised if called(raised.node) in _MAPS else at_caller(raised, raised.callers[-1]) if raised.callers else None
    call = at.node if at is not None else None
    if at is None or not isinstance(call, ast.Call) or called(call) not in _MAPS:
        return explained
    trees = call.args[_MAPS[called(call)] :]
    if len(trees) != 2 or any(isinstance(tree, ast.Starred) for tree in trees):
        return explained
    pair = _pair(at, trees, shapes)
    if pair is None:
        return explained
    return replace(explained, text=f"{explained.text} {pair[0]} has the shape {shapes[0]}, and {pair[1]} {shapes[1]}.")


def _pair(raised: RaisedAt, trees: list[ast.expr], shapes: list[str]) -> tuple[str, str] | None:
    """Return the code of the only two leaves at one place of both trees that have the two shapes; None if unclear."""
    import jax

    leaves = [jax.tree_util.tree_flatten_with_path(value_of(raised, tree))[0][:_MOST] for tree in trees]
    if len(leaves[0]) != len(leaves[1]) or len(leaves[0]) < 2:
        return None
    names = [raised.source(tree) for tree in trees]
    found = [
        (f"{names[0]}{jax.tree_util.keystr(path)}", f"{names[1]}{jax.tree_util.keystr(other_path)}")
        for (path, leaf), (other_path, other) in zip(*leaves, strict=True)
        if dtype_of(leaf) and dtype_of(other) and [str(leaf.shape), str(other.shape)] == shapes
    ]
    return found[0] if len(found) == 1 else None
