"""Finds the def or lambda of a function that the failing code uses, also where another cell defines the function."""

from __future__ import annotations

import ast
import linecache
from dataclasses import replace
from typing import Any

from ....observe.functions.function_inside_wrappers import code_of, unwrap
from ....observe.user_or_library.whose_code import is_installed
from ....plain_text import file_of, function_of
from ...loops.kinds_of_python_loops import node_span, parsed
from .place_of_error import RaisedAt
from .return_values import AnyFunction


def at_definition(raised: RaisedAt, value: Any) -> tuple[RaisedAt, AnyFunction] | None:
    """Return the place of the def or lambda of a function, and its syntax node.

    The place has the names of the failing code. So the function must have the same global names, as functions of
    several cells have.

    Args:
        raised: Where the error was raised.
        value: The function, also a method, or a function inside wrappers such as jit and partial.

    Returns:
        None if the function is not the user's, if the source code shows no single def, or if its global names differ.
    """
    code, function = code_of(value), unwrap(value)
    if code is None or raised.frame is None or is_installed(file_of(code)):
        return None
    if getattr(function, "__globals__", raised.frame.f_globals) is not raised.frame.f_globals:
        return None
    file = file_of(code)
    loops = parsed("".join(linecache.getlines(file)))
    if loops is None:
        return None
    parents = {id(child): parent for parent in ast.walk(loops.module) for child in ast.iter_child_nodes(parent)}
    nodes: list[AnyFunction] = [
        node
        for node in ast.walk(loops.module)
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        and getattr(node, "name", "<lambda>") == code.co_name
        and min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", []))]) == code.co_firstlineno
    ]
    if len(nodes) != 1:
        return None
    (line, column), (end_line, end_column) = node_span(nodes[0])
    place = raised.place._replace(
        file=file,
        line=line,
        function=function_of(code),
        column=column,
        end_line=end_line,
        end_column=end_column,
    )
    at = replace(raised, place=place, node=nodes[0], text=None, parents=parents, loops=loops, tracers={})
    return at, nodes[0]
