"""Finds the statements that give a name a value in a function or in a file."""

from __future__ import annotations

import ast

from ...trials.refused_assignments import own_nodes

Scope = ast.FunctionDef | ast.Lambda | ast.Module


def parameters_in(scope: ast.FunctionDef | ast.Lambda) -> set[str]:
    """Return the parameters of a function."""
    return {part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg)}


def is_empty(node: ast.expr) -> bool:
    """Return whether an expression makes an empty list or dict, which later statements fill."""
    match node:
        case ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Call(func=ast.Name(id="list" | "dict"), args=[], keywords=[]):
            return True
    return False


def first_stores(scope: Scope, name: str) -> list[ast.AST]:
    """Return the statements that give a name a value, without later updates such as w = step(w)."""
    stores = stores_of(scope, name)
    return [*stores[:1], *(store for store in stores[1:] if not _is_update(store, name))]


def _is_update(store: ast.AST, name: str) -> bool:
    value = store.value if isinstance(store, ast.Assign) else None
    reads = any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(value)) if value else False
    return reads or isinstance(store, ast.AugAssign)


def stores_of(scope: Scope, name: str) -> list[ast.AST]:
    """Return the statements, loops and others that give a name a value in a scope, without functions inside."""
    nodes: list[ast.AST] = list(own_nodes(scope))
    stores: list[ast.AST] = []
    for node in nodes:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For | ast.NamedExpr | ast.comprehension):
            targets = [node.target]
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            targets = [node.optional_vars]
        names = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        if any(part.id == name and isinstance(part.ctx, ast.Store) for part in names):
            stores.append(node)
    return stores
