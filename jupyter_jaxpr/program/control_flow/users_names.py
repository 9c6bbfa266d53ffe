"""Replaces JAX's paths by the user's names: carry[0] becomes h."""

from __future__ import annotations

import ast
import re

from .calls_in_user_source import parameters, unpacked

_ROOT = re.compile(r"[A-Za-z_]\w*")
_INDEX = re.compile(r"\[(\d+)\]")


def renamed(path: str, function: ast.FunctionDef | ast.Lambda | None) -> str:
    """Return a path with the user's name: `carry[0]['w']` becomes `h['w']` if the function unpacks `h, c = carry`."""
    root = _ROOT.match(path)
    if root is None:
        return path
    target = unpacked(function).get(root.group())
    return path if target is None else into(target, path[root.end() :]) or path


def into(target: ast.expr | None, suffix: str) -> str | None:
    """Return the name that an assignment gives to a part of a value.

    For the target `(h, c), t` and the part `[0][1]['w']`, this is `c['w']`.
    """
    while isinstance(target, ast.Tuple | ast.List):
        index = _INDEX.match(suffix)
        if index is None or any(isinstance(element, ast.Starred) for element in target.elts):
            return None
        number = int(index.group(1))
        if number >= len(target.elts):
            return None
        target = target.elts[number]
        suffix = suffix[index.end() :]
    if isinstance(target, ast.Name) and target.id != "_":
        return target.id + suffix
    return None


def guessed_carry(count: int, function: ast.FunctionDef | ast.Lambda | None, parameter: int) -> list[str]:
    """Return names for a carry whose paths JAX lost in a transform, if the source makes them certain.

    Otherwise each name is empty.
    """
    names = parameters(function)
    if parameter >= len(names):
        return [""] * count
    name = names[parameter]
    target = unpacked(function).get(name)
    if isinstance(target, ast.Tuple | ast.List):
        plain = [element.id for element in target.elts if isinstance(element, ast.Name)]
        return plain if len(plain) == len(target.elts) == count else [""] * count
    return [name] if count == 1 else [""] * count


def only_leaf(returned: ast.expr | None) -> str | None:
    """Return the path of the single leaf in a `return` expression: `['out']` for `{'out': y}`, '' for `y`.

    The result is None if the expression has several leaves.
    """
    inner: ast.expr | None = None
    key_path = ""
    if isinstance(returned, ast.Dict):
        if len(returned.keys) == 1 and isinstance(returned.keys[0], ast.Constant):
            key_path, inner = f"[{returned.keys[0].value!r}]", returned.values[0]
    elif isinstance(returned, ast.Tuple | ast.List):
        if len(returned.elts) == 1:
            key_path, inner = "[0]", returned.elts[0]
    else:
        return ""
    path_within = only_leaf(inner) if inner is not None else None
    return None if path_within is None else key_path + path_within
