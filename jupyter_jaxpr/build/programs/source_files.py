"""Copies the source files of a program into the document, with the texts of other cells that its code is in."""

from __future__ import annotations

import linecache

from ...document.types.document import File
from ...program.source.positions import SourceFile


def source_file(source: SourceFile, cell_file: str | None) -> File:
    """Convert a source file to its struct in the document, without the text of the cell.

    The document already has the text of the cell.
    """
    text = None
    if source.kind == "cell" and source.name != cell_file:
        text = source.cell.source if source.cell else "".join(linecache.getlines(source.name))
    return File(
        path=source.path,
        kind="cell" if source.kind == "cell" else "user" if source.kind == "user" else "library",
        cell_id=source.cell.id if source.cell else None,
        execution_count=source.execution_count,
        source=text or None,
    )
