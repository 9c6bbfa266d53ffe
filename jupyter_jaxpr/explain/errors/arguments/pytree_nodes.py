"""Writes the code that registers a user's class as a pytree node, so that JAX traces the arrays of its objects."""

from __future__ import annotations

import re
from types import FunctionType
from typing import Any

from ....jax.facts import is_jitted
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ..failing_code.origins import dtype_of
from .static_argument_edits import is_hashed

_NAME = "jax.tree_util.register_pytree_node"


def node_by_hand(kind: str, value: Any) -> FoundCure | None:
    """Return the cure that registers a class whose __init__ computes its attributes.

    The code makes new objects without the __init__. None if an attribute holds neither arrays nor a value with a hash.

    Args:
        kind: The name of the class.
        value: An object of the class.
    """
    import jax

    held, arrays, others = instance_dict(value), [], []
    for name, content in held.items():
        leaves = jax.tree_util.tree_leaves(content)[:1_000]
        if leaves and all(dtype_of(leaf) for leaf in leaves):
            arrays.append(name)
        elif is_hashed(content) or type(content) is FunctionType or is_jitted(content):
            others.append(name)
        else:
            return None
    if not arrays or len(held) > _MOST_ATTRIBUTES:
        return None
    owner = _BEFORE_CAPITAL.sub("_", kind).lower()
    owner = "node" if owner == kind else owner
    children = _tuple_of(owner, arrays)
    statics = _tuple_of(owner, others)
    lines = [
        f"def flatten_{owner}({owner}):",
        f"    return {children}, {statics if others else None}",
        "",
        f"def unflatten_{owner}(others, arrays):",
        f"    {owner} = object.__new__({kind})",
        f"    {children} = arrays",
        *([f"    {statics} = others"] if others else []),
        f"    return {owner}",
        "",
        f"{_NAME}({kind}, flatten_{owner}, unflatten_{owner})",
    ]
    words = f"Write this code after the class {kind}. JAX then traces the arrays in {in_a_sentence(arrays, 6)}."
    if others:
        verb = "stays a Python value" if len(others) == 1 else "stay Python values"
        words += f" {in_a_sentence(others, 6)} {verb}: JAX compiles once for each value."
    return FoundCure(_NAME, "\n".join(lines), words)


_MOST_ATTRIBUTES = 10
_BEFORE_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _tuple_of(owner: str, names: list[str]) -> str:
    parts = [f"{owner}.{name}" for name in names]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
