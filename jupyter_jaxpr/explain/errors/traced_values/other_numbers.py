"""Adds to the edit of one line the edits of the other lines of the function that need numbers, such as min(a, b)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....observe.observation import FoundCure
from ..failing_code.edits import Change, edit_of, over, source_with
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from .numbers_in_statements import is_extreme


def with_other_numbers(raised: RaisedAt, cures: Sequence[FoundCure]) -> list[FoundCure]:
    """Return cures of one line with edits of the other lines that need numbers, such as min(a, b) and int(c).

    Empty if the failing function has no such line.
    """
    function = raised.function
    if function is None:
        return []
    nodes = [
        node
        for node in ast.walk(function)
        if _converted(node) is not None or _list_of_extreme(node) is not None or is_extreme(node)
    ]
    longer = []
    for cure in cures:
        lines = {
            line for edit in cure.edits for line in range(edit.place.line, (edit.place.end_line or edit.place.line) + 1)
        }
        others = [node for node in nodes if isinstance(node, ast.expr) and node.lineno not in lines]
        is_here = all(edit.place.file == raised.place.file for edit in cure.edits)
        if others and cure.edits and is_here:
            edits = [*cure.edits, *(edit_of(raised, change) for change in _changes(raised, others))]
            longer.append(replace(cure, text=f"{cure.text} {_OTHERS}", edits=tuple(edits)))
    return longer


_OTHERS = "The other edits keep arrays where later lines need numbers."


def _changes(raised: RaisedAt, nodes: Sequence[ast.AST]) -> list[Change]:
    """Return the changes of calls that need numbers; the change of an outer call has the changes inside."""
    changes: list[Change] = []
    for node in sorted(nodes, key=lambda node: len(ast.unparse(node))):
        changes = [*changes, over(node, _changed(raised, node, changes))]
    inside = {id(part) for node in nodes for part in ast.walk(node) if part is not node}
    return [change for change in changes if id(change[0]) not in inside]


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
    if is_extreme(node):
        function = f"{jnp_name(raised)}.{ast.unparse(node.func)}imum"
        parts = [source_with(raised, argument, _inside(argument, changes)) for argument in node.args]
        code = parts[0]
        for part in parts[1:]:
            code = f"{function}({code}, {part})"
        return code
    extreme = _list_of_extreme(node)
    if extreme is not None:
        jnp = jnp_name(raised)
        return f"{jnp}.{extreme[0]}({jnp}.asarray({raised.source(extreme[1])}))"
    converted = _converted(node)
    assert converted is not None
    name, value = converted
    text = source_with(raised, value, _inside(value, changes))
    simple = isinstance(value, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
    text = text if simple else f"({text})"
    return f"{text}.astype({name})" if name else text


def _inside(node: ast.expr, changes: list[Change]) -> list[Change]:
    """Return the changes in an expression, without those in another change."""
    parts = {id(part) for part in ast.walk(node)}
    own = [change for change in changes if id(change[0]) in parts]
    nested = {id(part) for change in own for part in ast.walk(change[0]) if part is not change[0]}
    return [change for change in own if id(change[0]) not in nested]
