"""Finds the name of the function that a call in the user's code calls."""

from __future__ import annotations

import ast


def called(call: ast.AST | None) -> str:
    """Return the last part of the name of the called function, such as scan of jax.lax.scan; empty without a name."""
    if not isinstance(call, ast.Call):
        return ""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def called_by_name(node: ast.expr) -> str:
    """Return the name of the called function if the code calls it by a plain name, as in `print(x)`; else empty."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
