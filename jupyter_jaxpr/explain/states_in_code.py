"""Decides whether an assignment replaces a state: a value whose old content the function read before."""

from __future__ import annotations

import ast


def replaces_old_value(function: ast.FunctionDef, assignment: ast.Assign, target: ast.expr) -> bool:
    """Return whether a function computes with what a target held before an assignment, as in self.h = f(self.h).

    A comparison, as in `if self.h is None`, does not compute with the value.

    Args:
        function: The function.
        assignment: An assignment in the function.
        target: A target of the assignment, such as self.h.
    """
    code = ast.unparse(target)
    earlier = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AugAssign) and node.lineno < assignment.lineno
    ]
    return any(
        isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and ast.unparse(node) == code
        for value in (*earlier, assignment.value)
        for node in ast.walk(value)
    )
