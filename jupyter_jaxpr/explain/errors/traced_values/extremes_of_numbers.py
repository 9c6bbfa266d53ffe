"""Finds calls of Python's max and min, which compare numbers, around a failing call such as math.exp(x)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

from ..failing_code.edits import Change, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt

#: The text on jnp.maximum and jnp.minimum.
ELEMENTWISE = "{function} compares arrays element by element."


def is_extreme(node: ast.AST | None) -> TypeGuard[ast.Call]:
    """Return whether a node is a call of Python's max or min with several arguments."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("max", "min")
        and len(node.args) > 1
        and not node.keywords
        and not any(isinstance(argument, ast.Starred) for argument in node.args)
    )


def changes_of_extremes(raised: RaisedAt, node: ast.expr) -> list[Change]:
    """Return the changes of max and min of two numbers around a call to jnp.maximum and jnp.minimum, innermost first.

    Python's max and min would need the value of the traced array that replaces the number.
    """
    changes = []
    outer = raised.parents.get(id(node))
    while isinstance(outer, ast.BinOp | ast.UnaryOp | ast.Call):
        if is_extreme(outer) and len(outer.args) == 2:
            changes.append(over(outer.func, f"{jnp_name(raised)}.{_name(outer)}imum"))
        outer = raised.parents.get(id(outer))
    return changes


def with_extremes(text: str, extremes: Sequence[str]) -> str:
    """Return the sentence of a cure, with a sentence for each of the functions that replace max and min."""
    return " ".join([text, *(ELEMENTWISE.format(function=name) for name in dict.fromkeys(extremes))])


def _name(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name)
    return call.func.id
