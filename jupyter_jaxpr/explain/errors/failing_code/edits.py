"""Makes the edits of cures from nodes of the user's syntax tree, and applies edits to source code."""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from ....observe.observation import Edit, FoundCure, Place
from ...loops.kinds_of_python_loops import parsed
from .place_of_error import RaisedAt

Change = tuple[ast.AST, ast.AST, str]
"""The first and the last node that a change replaces, and the new code from column 0."""


def over(node: ast.AST, text: str) -> Change:
    """Return the change that replaces one syntax node with new code."""
    return node, node, text


def edit_of(raised: RaisedAt, change: Change) -> Edit:
    """Return a change as an edit of the user's file. New code of several lines gets the indentation of the old code."""
    first, last, text = change
    line, column = first.lineno, first.col_offset  # type: ignore[attr-defined]  # every expression and statement has a position
    end_line, end_column = last.end_lineno, last.end_col_offset  # type: ignore[attr-defined]  # see above
    indented = textwrap.indent(text, " " * column).lstrip(" ")
    return Edit(Place(raised.place.file, line, raised.place.function, column, end_line, end_column), indented)


def source_with(raised: RaisedAt, node: ast.expr, changes: Sequence[Change]) -> str:
    """Return the code of an expression after those changes that lie within the expression."""
    inside = {id(part) for part in ast.walk(node)}
    edits = [edit_of(raised, change) for change in changes if id(change[0]) in inside]
    if not edits or raised.loops is None:
        return raised.source(node)
    before = "\n".join(raised.loops.lines)
    after = edited(before, edits).encode()
    line_starts = [0]
    for line in raised.loops.lines:
        line_starts.append(line_starts[-1] + len(line.encode()) + 1)
    assert node.end_lineno is not None and node.end_col_offset is not None
    begin = line_starts[node.lineno - 1] + node.col_offset
    end = line_starts[node.end_lineno - 1] + node.end_col_offset + len(after) - len(before.encode())
    return after[begin:end].decode()


def applied(cure: FoundCure, edits: Sequence[Edit]) -> FoundCure:
    """Return a cure whose edits the panel can apply to the user's code."""
    return replace(cure, level="applies", edits=tuple(edits))


def replacing(raised: RaisedAt, node: ast.AST, name: str, code: str, text: str) -> FoundCure:
    """Return a cure that replaces one syntax node.

    Args:
        raised: Where the error was raised.
        node: The node.
        name: The name of the cure.
        code: The new code.
        text: The sentences on the cure.
    """
    return applied(FoundCure(name, code, text), [edit_of(raised, over(node, code))])


def chosen(cure: FoundCure, edits: Sequence[Edit]) -> FoundCure:
    """Return a cure whose edits contain placeholders in capitals, such as SIZE, which the user must fill in."""
    return replace(cure, level="choice", edits=tuple(edits))


def shown(cure: FoundCure, text: Sequence[str] | None = None) -> FoundCure:
    """Return a cure whose code consists of the edited lines.

    Args:
        cure: The cure with its edits.
        text: The lines of the edited code, if all edits are in one text; None to read the lines of each file.
    """
    if not cure.edits:
        return cure
    groups: list[list[Edit]] = []
    for edit in sorted(cure.edits, key=lambda edit: (edit.place.file, edit.place.line)):
        last = groups[-1][-1].place if groups else None
        if last is not None and last.file == edit.place.file and edit.place.line <= last.end_line:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    texts = []
    for group in groups:
        lines_of_file = text if text is not None else _lines_of(group[0].place.file)
        if lines_of_file is None:
            return cure
        first, end = group[0].place.line, max(edit.place.end_line for edit in group)
        lines = "\n".join(lines_of_file[first - 1 : end])
        moved = [
            Edit(
                edit.place._replace(line=edit.place.line - first + 1, end_line=edit.place.end_line - first + 1),
                edit.text,
            )
            for edit in group
        ]
        texts.append(edited(lines, moved))
    # The edited lines may have different indentations, for example a loop and a line in its body.
    return replace(cure, code=textwrap.dedent("\n".join(texts)))


def _lines_of(file: str) -> Sequence[str] | None:
    loops = parsed("".join(linecache.getlines(file)))
    return None if loops is None else loops.lines


def edited(source: str, edits: Sequence[Edit]) -> str:
    """Return the source code after the edits; the columns of the edits count UTF-8 bytes."""
    lines = source.encode().split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    data = b"\n".join(lines)
    for edit in sorted(edits, key=lambda edit: (edit.place.line, edit.place.column), reverse=True):
        begin = starts[edit.place.line - 1] + edit.place.column
        end = starts[edit.place.end_line - 1] + edit.place.end_column
        data = data[:begin] + edit.text.encode() + data[end:]
    return data.decode()
