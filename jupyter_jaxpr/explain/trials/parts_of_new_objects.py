"""Tells whether a function puts a changed array into a new object in the place of the old array.

For example, `vel = p.vel`, then a write into vel, then `return p._replace(vel=vel)`: the write need not reach p.
"""

from __future__ import annotations

import ast

_REPLACING = frozenset({"replace", "_replace", "evolve"})


def is_part_of_new_object(function: ast.FunctionDef, name: str, holder: str) -> bool:
    """Return whether a function makes a new object with an array, and reads nothing else of the old array.

    Args:
        function: The function.
        name: The name of the array, which the function takes from the object, as in vel = p.vel.
        holder: The name of the object, such as p.
    """
    parents = {id(child): node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    parts = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(_is(target, name) for target in node.targets)
        if _key(node.value, holder) is not None
    ]
    if len(parts) != 1:
        return False
    part = parts[0]
    key = _key(part, holder)
    is_made = False
    for node in ast.walk(function):
        if not _is(node, holder) or not isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        parent = parents.get(id(node))
        if parent is part:
            continue
        outer = parents.get(id(parent))
        if isinstance(outer, ast.Call) and outer.func is parent and isinstance(parent, ast.Attribute):
            if parent.attr not in _REPLACING or not _has(outer, key, name):
                return False
            is_made = True
        elif isinstance(parent, ast.Call) and _is_replace(parent.func) and _has(parent, key, name):
            is_made = True
        elif isinstance(parent, ast.Dict) and _has(parent, key, name):
            is_made = True
        elif not isinstance(parent, ast.Attribute | ast.Subscript) or _key(parent, holder) in (key, None):
            return False
    return is_made


def _is(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_replace(function: ast.expr) -> bool:
    return (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")) in _REPLACING


def _key(node: ast.AST, holder: str) -> str | None:
    """Return the name of the part of the object that an expression reads: vel for p.vel and for p["vel"]."""
    match node:
        case ast.Attribute(value=ast.Name(id=root), attr=attribute) if root == holder:
            return attribute
        case ast.Subscript(value=ast.Name(id=root), slice=ast.Constant(value=str(key))) if root == holder:
            return key
    return None


def _has(node: ast.Call | ast.Dict, key: str | None, name: str) -> bool:
    """Return whether a call or a dict gives the part of this key the array of this name."""
    if isinstance(node, ast.Call):
        return any(keyword.arg == key and _is(keyword.value, name) for keyword in node.keywords)
    pairs = zip(node.keys, node.values, strict=True)
    return any(isinstance(one, ast.Constant) and one.value == key and _is(value, name) for one, value in pairs)
