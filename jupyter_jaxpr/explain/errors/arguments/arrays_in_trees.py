"""Names the arrays in a container that the code uses as one array, such as the blocks of a Hessian."""

from __future__ import annotations

from typing import Any

from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure

_IS = "{path} is {type}."
_MORE = "{name} contains {number} arrays."
_ONE = "Read one array of {name}, such as {path}."
_MOST = 4


def arrays_in_tree(name: str, value: Any) -> tuple[str, FoundCure] | None:
    """Return the sentences on the arrays in a tuple, list or dict, and the advice to read one; None without arrays.

    Args:
        name: The name of the container in the code.
        value: The container.
    """
    import jax

    leaves = jax.tree_util.tree_flatten_with_path(value)[0][:1_000]
    arrays = [(f"{name}{jax.tree_util.keystr(path)}", type_of(leaf)) for path, leaf in leaves if type_of(leaf)]
    if not arrays:
        return None
    sentences = [_IS.format(path=path, type=kind) for path, kind in arrays[:_MOST]]
    if len(arrays) > _MOST:
        sentences.append(_MORE.format(name=name, number=len(arrays)))
    return " ".join(sentences), FoundCure("one array", None, _ONE.format(name=name, path=arrays[-1][0]))
