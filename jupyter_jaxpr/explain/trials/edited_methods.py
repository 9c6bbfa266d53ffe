"""Lets the statements of a trial call an edited method: the object of the user would still call the old method."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def with_edited_methods(module: ast.Module, body: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """Return statements in which self.step is the edited method step of these statements.

    Args:
        module: The edited source code.
        body: The statements of a trial. A def that stands in a class of the source code is an edited method.

    Returns:
        The statements unchanged if they contain no method. None if no statement reads the method as an attribute, or if
        a decorator changes what the method is.
    """
    inside = {id(part) for node in ast.walk(module) if isinstance(node, ast.ClassDef) for part in node.body}
    methods = [node for node in body if isinstance(node, ast.FunctionDef) and id(node) in inside]
    if not methods:
        return list(body)
    if any(method.decorator_list for method in methods):
        return None
    replaced = _Replaced({method.name for method in methods})
    statements = [node if node in methods else replaced.visit(node) for node in body]
    return statements if replaced.names == set() else None


class _Replaced(ast.NodeTransformer):
    """Replaces self.step by a lambda that calls the function step with self.

    Attributes:
        names: The methods that no statement has read so far.
    """

    def __init__(self, methods: set[str]) -> None:
        self._methods = methods
        self.names = set(methods)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:  # the name that ast.NodeTransformer calls
        self.generic_visit(node)
        if node.attr not in self._methods or not isinstance(node.ctx, ast.Load):
            return node
        self.names -= {node.attr}
        arguments = ast.arguments([], [], ast.arg("parts"), [], [], None, [])
        inner = [node.value, ast.Starred(ast.Name("parts", ast.Load()), ast.Load())]
        return ast.Lambda(arguments, ast.Call(ast.Name(node.attr, ast.Load()), inner, []))
