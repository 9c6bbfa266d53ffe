"""Explains what to pass in place of a list for a static argument: Python cannot hash a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeGuard

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over, replacing, shown
from ..failing_code.place_of_error import RaisedAt
from .static_argument_edits import is_hashed


def list_cure(raised: RaisedAt, name: str, node: ast.expr, value: Any) -> FoundCure:
    """Return the cure of a static argument that gets a list.

    Args:
        raised: The failing call.
        name: The parameter.
        node: The expression that the call passes for the parameter.
        value: The list; another value if the list is unknown.
    """
    element = _element_of_loop(raised, name, node)
    if element is not None:
        return element
    text = f"Pass {name} as a tuple: Python can hash a tuple, but not a list."
    code = _tuple_code(raised, node)
    if code is None and type(value) is list and all(is_hashed(element) for element in value):
        code = f"tuple({raised.source(node)})"
    cure = FoundCure("a tuple", code, text)
    if code is None:
        return cure
    assigned = _assigned_list(raised, node)
    assigned_code = None if assigned is None else _tuple_code(raised, assigned)
    if assigned is not None and assigned_code is not None:
        whole = applied(replace(cure, code=assigned_code), [edit_of(raised, over(assigned, assigned_code))])
        tried = [one for one in passed(raised, [whole]) if one.level == "applies"]
        if tried:
            return tried[0]
    tuple_cure = applied(cure, [edit_of(raised, over(node, code))])
    tried = passed(raised, [tuple_cure])
    words = f"With a tuple as {name}, the function raises an error, too. Pass a value that the function takes."
    # A call that cannot be tried keeps the code as advice: Python can hash the tuple in any case.
    untried = [replace(one, code=shown(tuple_cure).code) if one.code is None else one for one in tried]
    return untried[0] if untried else FoundCure("another value", None, words)


def _tuple_code(raised: RaisedAt, node: ast.expr) -> str | None:
    """Return the code of a written list as a tuple; None for other expressions and for lists of lists."""
    if not isinstance(node, ast.List):
        return None
    if any(isinstance(element, ast.List | ast.Dict | ast.Set) for element in node.elts):
        return None
    return f"({raised.source(node)[1:-1].rstrip().rstrip(',')}{',' if len(node.elts) == 1 else ''})"


def _assigned_list(raised: RaisedAt, node: ast.expr) -> ast.expr | None:
    """Return the list that the cell assigns once to a name that several calls take.

    None if the cell reads the name once, or uses the name in another way than as an argument: a tuple has not all
    methods of a list.
    """
    if not isinstance(node, ast.Name) or raised.loops is None or raised.function is not None:
        return None
    uses = [part for part in _without_parameter(raised.loops.module, node.id) if _is_name(part, node.id)]
    reads = [part for part in uses if isinstance(part.ctx, ast.Load)]
    parents = [raised.parents.get(id(part)) for part in reads]
    are_arguments = all(
        isinstance(parent, ast.Call) and parent.func is not part
        for part, parent in zip(reads, parents, strict=True)
        if not isinstance(parent, ast.keyword)
    )
    assigned = [
        statement.value
        for statement in raised.loops.module.body
        if isinstance(statement, ast.Assign) and statement.targets[0] in uses and len(statement.targets) == 1
    ]
    if len(reads) < 2 or len(uses) != len(reads) + 1 or len(assigned) != 1 or not are_arguments:
        return None
    return assigned[0]


def _without_parameter(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """Yield the syntax nodes of a module, without the functions that have a parameter of this name."""
    for child in ast.iter_child_nodes(node):
        yield child
        arguments = getattr(child, "args", None)
        if not isinstance(arguments, ast.arguments) or name not in {
            part.arg for part in ast.walk(arguments) if isinstance(part, ast.arg)
        }:
            yield from _without_parameter(child, name)


def _is_name(node: ast.AST, name: str) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and node.id == name


def _element_of_loop(raised: RaisedAt, name: str, node: ast.expr) -> FoundCure | None:
    """Return the cure of a static argument that gets a whole list inside a loop over the elements of the list."""
    source = raised.source(node)
    around = raised.parents.get(id(node))
    while around is not None:
        loops = [around] if isinstance(around, ast.For) else getattr(around, "generators", [])
        for loop in loops:
            if isinstance(loop.target, ast.Name) and raised.source(loop.iter) == source and loop.iter is not node:
                element = loop.target.id
                words = f"The loop over {source} gives each element the name {element}. Pass {element} as {name}."
                return next(iter(passed(raised, [replacing(raised, node, "an element", element, words)])), None)
        around = raised.parents.get(id(around))
    return None
