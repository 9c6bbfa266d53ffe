"""Finds the other names and the containers through which the user's code reaches one array, as after `u = u0`."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from ...trials.refused_assignments import own_nodes
from ..failing_code.called_names import called
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

#: Functions of JAX that return an array itself, not a copy.
_WITHOUT_A_COPY = ("asarray", "device_put")


@dataclass(frozen=True)
class OtherName:
    """A second way to one array, such as u after `u = u0`, or state['u'] after `state = {'u': u0}`.

    Attributes:
        statement: The assignment.
        path: The code that reaches the array, such as u or state['u'].
        value: The expression of the first name within the assignment; None if the assignment gives both names at once.
        is_container: Whether `path` reaches the array through a container that the assignment makes.
        is_older: Whether the array had the name `path` before the assignment.
    """

    statement: ast.Assign
    path: str
    value: ast.expr | None
    is_container: bool = False
    is_older: bool = False


def other_names(raised: RaisedAt, name: str) -> Iterator[OtherName]:
    """Yield the other names that assignments above the error give to an array, without a copy.

    Args:
        raised: Where the code used the array.
        name: The code of the array, such as x or state['w'].
    """
    scope = raised.function or (raised.loops.module if raised.loops is not None else None)
    if scope is None or isinstance(scope, ast.Lambda):
        return
    statements = [node for node in own_nodes(scope) if isinstance(node, ast.Assign)]
    for statement in statements:
        if statement.lineno >= raised.place.line:
            continue
        for target, value in _pairs(statement):
            for path, node, is_container in _paths(raised, ast.unparse(target), value, 0):
                rest = _rest(name, ast.unparse(node))
                if rest is not None:
                    yield OtherName(statement, path + rest, node, is_container)
            rest = _rest(name, ast.unparse(target))
            if rest is not None and isinstance(value, ast.Name | ast.Attribute):
                yield OtherName(statement, ast.unparse(value) + rest, value, is_older=True)
        for target in statement.targets if len(statement.targets) > 1 else ():
            for second in statement.targets:
                rest = _rest(name, ast.unparse(target))
                if second is not target and rest is not None:
                    yield OtherName(statement, ast.unparse(second) + rest, None)


def _rest(name: str, prefix: str) -> str | None:
    """Return what follows a prefix in the code of an array: ['w'] for state['w'] and state. None for another prefix."""
    if name == prefix:
        return ""
    return name[len(prefix) :] if name.startswith((f"{prefix}[", f"{prefix}.")) else None


def _pairs(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each target of an assignment with its value: u and u0, v and v0 in `u, v = u0, v0`."""
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            if len(target.elts) == len(statement.value.elts):
                yield from zip(target.elts, statement.value.elts, strict=True)
        else:
            yield target, statement.value


_NESTED = 3


def _paths(
    raised: RaisedAt, path: str, value: ast.expr, depth: int, is_container: bool = False
) -> Iterator[tuple[str, ast.expr, bool]]:
    """Yield the code that reaches each name within an assigned value, the name, and whether a container holds it."""
    if isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
        yield path, value, is_container
    if depth >= _NESTED:
        return
    parts: list[tuple[str, ast.expr]] = []
    match value:
        case ast.Dict(keys=keys, values=values):
            parts = [
                (f"{path}[{ast.unparse(key)}]", part) for key, part in zip(keys, values, strict=True) if key is not None
            ]
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            parts = [(f"{path}[{number}]", part) for number, part in enumerate(elements)]
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            parts = [(f"{path}[{option.arg!r}]", option.value) for option in keywords if option.arg]
        case ast.Call(args=[first, *_]) if called(value) in _WITHOUT_A_COPY:
            yield from _paths(raised, path, first, depth + 1, is_container)
            return
        case ast.Call(args=positional, keywords=keywords):
            fields = _fields(value_of(raised, value.func))
            parts = [(f"{path}.{field}", part) for field, part in zip(fields, positional, strict=False)]
            parts += [(f"{path}.{option.arg}", option.value) for option in keywords if option.arg in fields]
    for part_path, part in parts:
        yield from _paths(raised, part_path, part, depth + 1, True)


def _fields(maker: object) -> tuple[str, ...]:
    """Return the fields of a named tuple or a dataclass, whose objects hold the given arrays; empty for another one."""
    if not isinstance(maker, type):
        return ()
    if issubclass(maker, tuple):
        return tuple(name for name in getattr(maker, "_fields", ()) if type(name) is str)
    return tuple(field.name for field in dataclasses.fields(maker)) if dataclasses.is_dataclass(maker) else ()
