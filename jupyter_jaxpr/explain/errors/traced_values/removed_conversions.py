"""Takes the conversions out of an expression that needs the values of its arrays: x for x.item() and float(x)."""

from __future__ import annotations

import ast


def without_conversion(node: ast.expr) -> ast.expr:
    """Return x for x.item(), x.tolist() and float(x): jax.debug.print needs no conversion."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="item" | "tolist"), args=[], keywords=[]):
            return value
        case ast.Call(func=ast.Name(id="float"), args=[value], keywords=[]):
            return value
    return node


class _Conversions(ast.NodeTransformer):
    """Takes x out of x.item(), float(x) and bool(x), which need the value of x."""

    found = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
                self.found = True
                return value
            case ast.Call(func=ast.Name(id="float" | "bool"), args=[value], keywords=[]):
                self.found = True
                return value
        return node


def without_conversions(code: str) -> str:
    """Return the code of a condition that compares arrays in place of their numbers: x > 0 for x.item() > 0."""
    conversions = _Conversions()
    expression = conversions.visit(ast.parse(code, mode="eval"))
    return ast.unparse(expression) if conversions.found else code
