"""Finds the functions of a cell that call a function whose argument types are unknown, such as the body of a scan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..typed.edited_cell import FunctionStatement, WrittenCell
from .executed_statements import Definitions, read_by
from .function_at_the_caret import chosen_function


def callers(
    written: WrittenCell, called: FunctionStatement, definitions: Definitions, in_view: str | None
) -> Iterator[tuple[FunctionStatement, Any]]:
    """Yield the functions of a cell that call a function of the cell, directly or through others.

    The first is the function whose program is in view, if it calls the function; the others come in the reverse order
    of the cell.

    Args:
        written: The cell.
        called: The statement that defines the called function.
        definitions: The functions of the cell.
        in_view: The name of the program in view; None without one.

    Yields:
        The statement that defines the calling function, and the function.
    """
    first = chosen_function(written, None, in_view)
    for statement in [first, *reversed(written.functions)]:
        if statement is None or statement is called:
            continue
        function = definitions.functions.get(statement.lineno)
        if function is not None and _calls(function, called.name, definitions):
            yield statement, function


def _calls(function: Any, name: str, definitions: Definitions) -> bool:
    """Return whether a function reads a name, directly or through other functions of the cell."""
    defined_functions = list(definitions.functions.values())
    waiting, visited = [function], set()
    while waiting:
        for read in read_by(waiting.pop()):
            if read == name:
                return True
            value = definitions.namespace.get(read)
            if read not in visited and any(value is defined for defined in defined_functions):
                visited.add(read)
                waiting.append(value)
    return False
