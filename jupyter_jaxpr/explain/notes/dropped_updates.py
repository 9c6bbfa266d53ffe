"""Finds updates `x.at[i].set(v)` in a cell whose results are not used.

JAX arrays are immutable: the update returns a new array, which is lost if nothing refers to it. Such a statement is
always a mistake, so the cell's source is enough to find it.
"""

from __future__ import annotations

import ast
import re

from ...interruptions import not_of_a_signal
from ...observe.observation import Finding, Place

_MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)
_UPDATES = frozenset({"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"})

_TITLE = "The result of an update is not used"
_TEXT = (
    "{update} returns a new array and does not change {array}. The code does not assign the new array to a name, so "
    "the update is lost."
)
_CURE = "Write {array} = {update}."
_OF_EXPRESSION = "Assign the result of {update} to a name."


def dropped_updates(source: str, file: str) -> list[Finding]:
    """Return a finding for each statement whose result, an updated array, is not used.

    Args:
        source: The source code of the cell, with its magics.
        file: The `co_filename` of the cell's code.
    """
    try:
        # Each line of a magic becomes `pass`, so the line numbers stay the same.
        tree = ast.parse(_MAGIC.sub(lambda line: f"{line[1]}pass", source))
    except not_of_a_signal(SyntaxError, ValueError):
        return []
    # the cell displays the value of its last expression, so the result of that update is used
    last_statement = tree.body[-1] if tree.body else None
    findings = []
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Expr) and statement is not last_statement:
            array = updated_array(statement.value)
            if array is not None:
                findings.append(_finding(statement, array, file))
    return findings


def updated_array(value: ast.expr) -> ast.expr | None:
    """Return the array of `array.at[index].set(value)`; None for any other expression."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or value.func.attr not in _UPDATES:
        return None
    item = value.func.value
    if not isinstance(item, ast.Subscript) or not isinstance(item.value, ast.Attribute) or item.value.attr != "at":
        return None
    return item.value.value


def _finding(statement: ast.Expr, array: ast.expr, file: str) -> Finding:
    update, name = ast.unparse(statement.value), ast.unparse(array)
    cure = _CURE if isinstance(array, ast.Name | ast.Attribute | ast.Subscript) else _OF_EXPRESSION
    return Finding(
        kind="dropped_update",
        title=_TITLE,
        text=_TEXT.format(update=update, array=name),
        cure=cure.format(array=name, update=update),
        place=Place(
            file,
            statement.lineno,
            "<module>",
            statement.col_offset,
            statement.end_lineno or statement.lineno,
            statement.end_col_offset or -1,
        ),
    )
