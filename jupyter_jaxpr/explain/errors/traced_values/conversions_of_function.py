"""Writes the cure that keeps arrays in place of all Python numbers that a function makes with int(x) and x.item()."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ..failing_code.edits import Change, applied, edit_of, over, source_with
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt

_WORDS = "The function converts several traced values. With these edits, all these values stay arrays."


def every_conversion(raised: RaisedAt) -> list[FoundCure]:
    """Return the cures that change all conversions in the failing function; with and without max(x) and min(x).

    Empty if the function has a single conversion.
    """
    function = raised.function
    if function is None:
        return []
    conversions = [node for node in ast.walk(function) if _converted(node) is not None]
    lists = [node for node in ast.walk(function) if _list_of_extreme(node) is not None]
    cures: list[FoundCure] = []
    for chosen in (conversions, [*conversions, *lists]):
        # The innermost nodes come first, so that the code of an outer node has the changes inside.
        changes: list[Change] = []
        for node in sorted(chosen, key=lambda node: len(ast.unparse(node))):
            changes = [*changes, over(node, _changed(raised, node, changes))]
        inside = {id(part) for node in chosen for part in ast.walk(node) if part is not node}
        outer = [change for change in changes if id(change[0]) not in inside]
        if len(chosen) > 1 and (not cures or len(chosen) > len(conversions)):
            edits = [edit_of(raised, change) for change in outer]
            cures.append(applied(FoundCure("keep the arrays", outer[0][2], _WORDS), edits))
    return cures


def _converted(node: ast.AST) -> tuple[str, ast.expr] | None:
    match node:
        case ast.Call(func=ast.Name(id=("int" | "float" | "bool") as name), args=[value], keywords=[]):
            return None if isinstance(value, ast.Constant) else (name, value)
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return "", value
    return None


def _list_of_extreme(node: ast.AST) -> tuple[str, ast.expr] | None:
    match node:
        case ast.Call(func=ast.Name(id=("max" | "min") as name), args=[ast.Name() as value], keywords=[]):
            return name, value
    return None


def _changed(raised: RaisedAt, node: ast.AST, changes: list[Change]) -> str:
    extreme = _list_of_extreme(node)
    if extreme is not None:
        jnp = jnp_name(raised)
        return f"{jnp}.{extreme[0]}({jnp}.asarray({raised.source(extreme[1])}))"
    converted = _converted(node)
    assert converted is not None
    name, value = converted
    text = source_with(raised, value, [change for change in changes if change[0] is not node])
    simple = isinstance(value, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
    text = text if simple else f"({text})"
    return f"{text}.astype({name})" if name else text
