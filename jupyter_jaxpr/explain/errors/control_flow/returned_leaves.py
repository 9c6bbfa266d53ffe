"""Finds the part of a returned expression at a path in JAX's message, such as c['a'][0], and promotes dtypes."""

from __future__ import annotations

import ast
import re

from ..failing_code.called_names import called
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt


def leaf_at(node: ast.expr, path: str, raised: RaisedAt | None = None) -> ast.expr | None:
    """Return the part at a path such as c['a'][0] of an expression: a tuple, a dict or a call of a class.

    Args:
        node: The expression.
        path: The path, with or without a name at its start.
        raised: Where the error was raised; None to stop at a call of a class.
    """
    path = path.removeprefix("loop_carry[1]")
    keys = [
        text or field or int(number)
        for text, number, field in re.findall(r"\['([^']*)'\]|\[(\d+)\]|\.([^\W\d]\w*)", path)
    ]
    for key in keys:
        match node:
            case ast.Call() if raised is not None and isinstance(key, str):
                field = _field(raised, node, key)
                if field is None:
                    return None
                node = field
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


def _field(raised: RaisedAt, call: ast.Call, name: str) -> ast.expr | None:
    """Return the argument that becomes a field in a call of a dataclass or a named tuple's class. None if unknown."""
    kind = value_of(raised, call.func)
    fields: tuple[str, ...] = ()
    if isinstance(kind, type) and issubclass(kind, tuple):
        fields = vars(kind).get("_fields", ())
    elif isinstance(kind, type):
        fields = tuple(vars(kind).get("__dataclass_fields__", ()))
    elif called(call) not in ("replace", "_replace"):
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    by_name = [keyword.value for keyword in call.keywords if keyword.arg == name]
    by_place = call.args[fields.index(name) :][:1] if name in fields else []
    return next(iter([*by_name, *by_place]), None)


def short_source(raised: RaisedAt, node: ast.expr) -> str:
    """Return the expression in one line of at most 60 characters."""
    text = " ".join(raised.source(node).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def promoted_dtype(first_dtype: str, second_dtype: str) -> str | None:
    """Return the dtype to which JAX promotes two dtypes; None if JAX cannot promote them."""
    import jax.numpy as jnp

    try:
        return str(jnp.promote_types(first_dtype, second_dtype))
    except TypeError:  # the two dtypes have no common dtype, for example random keys
        return None
