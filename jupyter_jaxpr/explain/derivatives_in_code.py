"""Finds the calls such as `jax.grad(self.loss)` that differentiate a function, in the text of a file."""

from __future__ import annotations

import ast

_DERIVATIVES = frozenset({"grad", "value_and_grad", "filter_grad", "filter_value_and_grad"})
_JITS = frozenset({"jit", "filter_jit"})


def derivative_in(module: ast.Module | None, name: str) -> ast.Call | None:
    """Return the first call in a module that differentiates the function or method of a name.

    None if no call does, or if the call has the option has_aux.

    Args:
        module: The syntax of the file; None if unknown.
        name: The name of the function, such as loss for self.loss.
    """
    for node in ast.walk(module) if module is not None else ():
        if not isinstance(node, ast.Call) or not node.args:
            continue
        argument = node.args[0]
        if isinstance(argument, ast.Call) and argument.args and _last_name(argument.func) in _JITS:
            argument = argument.args[0]
        if _last_name(node.func) in _DERIVATIVES and _last_name(argument) == name:
            has_aux = any(keyword.arg in ("has_aux", None) for keyword in node.keywords)
            return None if has_aux else node
    return None


def _last_name(node: ast.expr) -> str | None:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
