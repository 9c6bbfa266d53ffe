"""Stacks a list of trees into one tree of arrays, over which vmap can map."""

from __future__ import annotations

import ast
from typing import Any

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt


def stacked_trees(raised: RaisedAt, node: ast.expr, value: Any, name: str) -> tuple[str, list[FoundCure]] | None:
    """Return the explanation and the cure for a list of trees of one structure; None for any other value.

    Args:
        raised: Where the error was raised.
        node: The argument of the mapped function.
        value: The value of the argument.
        name: The name of the argument in the explanation.
    """
    import jax

    if type(value) not in (list, tuple) or len(value) < 2 or jax.tree_util.all_leaves(value):
        return None
    structures = {jax.tree_util.tree_structure(part) for part in value[:1_000]}
    if len(structures) != 1 or type(value[0]) not in (dict, list, tuple):
        return None
    container_type, element_type = type(value).__name__, type(value[0]).__name__
    text = (
        f"{name} is a {container_type} of {len(value)} {element_type}s. vmap maps each array in the {element_type}s, "
        f"and does not map the {container_type} itself."
    )
    jnp = jnp_name(raised)
    code = f"jax.tree.map(lambda *leaves: {jnp}.stack(leaves), *{raised.source(node)})"
    words = (
        f"Make one {element_type} of arrays with jax.tree.map and {jnp}.stack: axis 0 of each array then has one index "
        f"for each element of {name}."
    )
    return text, passed(raised, [applied(FoundCure("one tree", code, words), [edit_of(raised, over(node, code))])])
