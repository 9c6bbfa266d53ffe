"""Makes a function that calls another function as if the call stood on a certain line of the user's source.

JAX records the stack of each equation. An own trace runs after the cell, without a frame of the cell on the stack;
without this module, equations that a library function made would have no line of the user's.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from ..observation import Place

_SOURCE = "lambda function, arguments, keywords: function(*arguments, **keywords)"


def calling_at(place: Place) -> Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]:
    """Return a function `call(fun, args, kwargs)`; while it calls `fun`, its frame has the file and line of `place`."""
    tree = ast.parse(_SOURCE, mode="eval")
    end_line = place.end_line if place.end_line > 0 else place.line
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.arg):
            node.lineno, node.end_lineno = place.line, end_line
            node.col_offset, node.end_col_offset = max(place.column, 0), max(place.end_column, 0)
    function = eval(compile(tree, place.file, "eval"))
    assert isinstance(function, types.FunctionType)
    function.__code__ = function.__code__.replace(co_name=place.function, co_qualname=place.function)
    return function
