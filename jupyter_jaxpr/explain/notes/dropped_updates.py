"""Finds updates `x.at[i].set(v)` whose results are not used, in a cell or in a function that the cell ran.

JAX arrays are immutable: the update returns a new array, which is lost if nothing refers to it. Such a statement is
always a mistake, so the cell's source is enough to find it. In other files, such as an earlier cell, only the updates
that ran count.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Collection, Iterator

from ...interruptions import not_of_a_signal
from ...observe.calls.dropped_updates_at_calls import UPDATES, UpdateCalls
from ...observe.observation import Finding, Place
from ...typed.kept_syntax_trees import tree_of

_MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)

#: Line, column, last line and last column of a statement.
Span = tuple[int, int, int, int]

#: The file name of code that `timeit.timeit` gets as a text: such code drops its result on purpose.
_TIMED = "<timeit-src>"

_TITLE = "The result of an update is not used"
_TEXT = (
    "{update} returns a new array and does not change {array}. The code does not assign the new array to a name, so "
    "the update is lost."
)
_CURE = "Write {array} = {update}."
_OF_EXPRESSION = "Assign the result of {update} to a name."


def dropped_updates(source: str, file: str, calls: UpdateCalls) -> list[Finding]:
    """Return a finding for each statement whose result, an updated array, is not used.

    Args:
        source: The source code of the cell, with its magics.
        file: The `co_filename` of the cell's code.
        calls: The updates that ran, also in functions of other files.
    """
    in_other_files = list(_in_other_files(calls, file))
    references = {_span(place) for place in calls.of_references if place.file == file}
    return [*_in_cell(source, file, references), *in_other_files]


def _in_cell(source: str, file: str, references: Collection[Span]) -> list[Finding]:
    """Return the findings in a cell, without the updates at `references`, which change a JAX reference in place."""
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
            if array is not None and _span_of(statement) not in references:
                findings.append(_finding(statement, array, Place(file, -1, "<module>")))
    return findings


def _in_other_files(calls: UpdateCalls, file: str) -> Iterator[Finding]:
    """Yield a finding for each update that ran in a function of another file than the cell's."""
    for place in calls.dropped:
        tree = None if place.file in (file, _TIMED) else tree_of("".join(linecache.getlines(place.file)))
        for statement in () if tree is None else ast.walk(tree):
            if isinstance(statement, ast.Expr) and _span_of(statement) == _span(place):
                array = updated_array(statement.value)
                if array is not None:
                    yield _finding(statement, array, place)


def _span(place: Place) -> Span:
    return place.line, place.column, place.end_line, place.end_column


def _span_of(statement: ast.Expr) -> Span:
    return (
        *(statement.lineno, statement.col_offset),
        *(statement.end_lineno or statement.lineno, statement.end_col_offset or -1),
    )


def updated_array(value: ast.expr) -> ast.expr | None:
    """Return the array of `array.at[index].set(value)`; None for any other expression."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or value.func.attr not in UPDATES:
        return None
    item = value.func.value
    if not isinstance(item, ast.Subscript) or not isinstance(item.value, ast.Attribute) or item.value.attr != "at":
        return None
    return item.value.value


def _finding(statement: ast.Expr, array: ast.expr, within: Place) -> Finding:
    """Return the finding on a statement in the file and the function of the place `within`."""
    update, name = ast.unparse(statement.value), ast.unparse(array)
    cure = _CURE if isinstance(array, ast.Name | ast.Attribute | ast.Subscript) else _OF_EXPRESSION
    line, column, end_line, end_column = _span_of(statement)
    return Finding(
        kind="dropped_update",
        title=_TITLE,
        text=_TEXT.format(update=update, array=name),
        cure=cure.format(array=name, update=update),
        place=Place(within.file, line, within.function, column, end_line, end_column),
    )
