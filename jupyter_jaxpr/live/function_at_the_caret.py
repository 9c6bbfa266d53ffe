"""Chooses which function of a cell to trace, from the position of the caret and the program in view."""

from __future__ import annotations

import ast

from ..typed.edited_cell import FunctionStatement, WrittenCell


def chosen_function(cell: WrittenCell, line: int | None, in_view: str | None) -> FunctionStatement | None:
    """Return the function of a cell that Live traces.

    The first of these that exists: the function under the caret, the function in view, the function that the cell calls
    last, the last function of the cell.

    Args:
        cell: The parsed text of the cell.
        line: The line of the caret, from 1; None if the caret is not in the cell.
        in_view: The name of the program that the panel shows.
    """
    at_caret = cell.function_at(line) if line is not None else None
    if at_caret is not None:
        return at_caret
    by_name = {function.name: function for function in cell.functions}
    if in_view in by_name:
        return by_name[in_view]
    called = next(
        (by_name[call.func.id] for call in cell.calls() if isinstance(call.func, ast.Name) and call.func.id in by_name),
        None,
    )
    return called or (cell.functions[-1] if cell.functions else None)
