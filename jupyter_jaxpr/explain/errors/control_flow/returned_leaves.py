"""Finds the part of a returned expression that a JAX message names by its path, and promotes its dtype."""

from __future__ import annotations

import ast
import re

from ..failing_code.place_of_error import RaisedAt


def leaf_at(node: ast.expr, path: str) -> ast.expr | None:
    """Return the expression in a tuple or dict display at a path such as c['a'][0]."""
    path = path.removeprefix("loop_carry[1]")
    keys = [text or int(number) for text, number in re.findall(r"\['([^']*)'\]|\[(\d+)\]", path)]
    for key in keys:
        match node:
            case ast.Dict(keys=names, values=values):
                pairs = zip(names, values, strict=True)
                fitting_values = [
                    value for name, value in pairs if isinstance(name, ast.Constant) and name.value == key
                ]
                if len(fitting_values) != 1:
                    return None
                node = fitting_values[0]
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if isinstance(key, int) and key < len(elements):
                node = elements[key]
            case _:
                return None
    return node


def short_source(raised: RaisedAt, node: ast.expr) -> str:
    """Return the expression in one line of at most 60 characters."""
    text = " ".join(raised.source(node).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def promoted_dtype(first_dtype: str, second_dtype: str) -> str | None:
    """Return the dtype to which JAX promotes two dtypes; None if JAX promotes neither."""
    import jax.numpy as jnp

    try:
        return str(jnp.promote_types(first_dtype, second_dtype))
    except TypeError:  # the two dtypes have no common dtype, for example random keys
        return None
