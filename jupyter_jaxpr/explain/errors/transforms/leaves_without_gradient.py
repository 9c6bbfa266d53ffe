"""Finds the leaves of an argument that `grad` cannot differentiate, such as strings and integers."""

from __future__ import annotations

import ast
from typing import Any

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import dtype_of
from ..failing_code.place_of_error import RaisedAt


def without_others(
    raised: RaisedAt, node: ast.expr, value: Any, argument: str, name: str, is_of_floats: bool
) -> FoundCure:
    """Return the cure that removes from an argument the leaves that cannot be differentiated.

    Args:
        raised: Where the error was raised.
        node: The expression of the argument.
        value: The argument.
        argument: The name of the argument.
        name: The name of the leaf that JAX refused, such as params['arch'].
        is_of_floats: True if the transform differentiates all leaves, so that JAX also refuses integers.
    """
    others = _without_derivative(value) if is_of_floats else []
    words = f"Take {name} out of the argument, and read the value from outside of the function."
    if len(others) > 1:
        names = in_a_sentence([f"{argument}{other}" for other in others], 4)
        words = f"Take {names} out of the argument, and read these values from outside of the function."
    return FoundCure("arrays alone", _floats_alone(raised, node, value) if others else None, words)


def _without_derivative(value: Any) -> list[str]:
    """Return the paths of all leaves of an argument that are neither floats nor arrays of floats."""
    import jax

    leaves = jax.tree_util.tree_flatten_with_path(value)[0][:1_000]
    return [jax.tree_util.keystr(path) for path, leaf in leaves if not _is_float(leaf)]


def _is_float(leaf: Any) -> bool:
    import jax.numpy as jnp

    dtype = dtype_of(leaf)
    return type(leaf) is float or (bool(dtype) and bool(jnp.issubdtype(getattr(leaf, "dtype", dtype), jnp.floating)))


def _floats_alone(raised: RaisedAt, node: ast.expr, value: Any) -> str | None:
    """Return the code of a dict with only the floats, such as {'w': params['w']}.

    None if the call with it fails its trial.
    """
    if type(value) is not dict or not isinstance(node, ast.Name) or not all(type(key) is str for key in value):
        return None
    kept = [key for key, part in value.items() if not _without_derivative(part)]
    if not kept or len(kept) == len(value):
        return None
    code = f"{{{', '.join(f'{key!r}: {node.id}[{key!r}]' for key in kept)}}}"
    tried = applied(FoundCure("arrays alone", code, ""), [edit_of(raised, over(node, code))])
    return code if any(cure.level == "applies" for cure in passed(raised, [tried])) else None
