"""Makes edits with positions from the syntax of the user's text and its replacement."""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from ...observe.observation import Edit, FoundCure, Place
from ..loops.statements import parsed
from .raised import RaisedAt

Change = tuple[ast.AST, ast.AST, str]
"""First and last node of what is replaced, and the new text from column 0."""


def over(node: ast.AST, text: str) -> Change:
    """The replacement of one node."""
    return node, node, text


def edit_of(raised: RaisedAt, change: Change) -> Edit:
    """An edit of the file in which the error was raised; more lines than one take the statement's indentation."""
    first, last, text = change
    line, column = first.lineno, first.col_offset  # type: ignore[attr-defined]  # of every expression and statement
    end_line, end_column = last.end_lineno, last.end_col_offset  # type: ignore[attr-defined]  # likewise
    indented = textwrap.indent(text, " " * column).lstrip(" ")
    return Edit(Place(raised.place.file, line, raised.place.function, column, end_line, end_column), indented)


def applied(cure: FoundCure, edits: Sequence[Edit]) -> FoundCure:
    """A cure as an edit of the text."""
    return replace(cure, level="applies", edits=tuple(edits))


def chosen(cure: FoundCure, edits: Sequence[Edit]) -> FoundCure:
    """A cure as an edit of the text, in which the user replaces the names in capitals."""
    return replace(cure, level="choice", edits=tuple(edits))


def shown(cure: FoundCure, text: Sequence[str] | None = None) -> FoundCure:
    """A cure with edits whose code is the lines of the text as they are afterwards.

    Args:
        cure: With its edits.
        text: The lines of the text that all edits are in; None where Python has the text of each file.
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
        texts.append(textwrap.dedent(edited(lines, moved)))
    return replace(cure, code="\n".join(texts))


def _lines_of(file: str) -> Sequence[str] | None:
    loops = parsed("".join(linecache.getlines(file)))
    return None if loops is None else loops.lines


def edited(source: str, edits: Sequence[Edit]) -> str:
    """A text with edits made; columns are in UTF-8 bytes."""
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
