"""Copies the pools of a `Walk` (types, literals, source frames, stacks) into the document."""

from __future__ import annotations

from ...document.pools_of_documents_and_pages import Pools
from ...document.types.document import (
    Aval,
    Frame,
    LiteralValue,
    Parameter,
    Stack,
)
from ...program.jaxpr.avals import AvalRow
from ...program.jaxpr.walk import Walk
from ...program.source.positions import FrameRow
from .source_files import source_file


def _aval(row: AvalRow) -> Aval:
    return Aval(
        text=row.text,
        shape=list(row.shape),
        dtype=row.dtype,
        weak=row.weak,
        sharding=row.sharding,
    )


def _frame(row: FrameRow) -> Frame:
    number, function, line, column, end_line, end_column = row
    return Frame(
        file=number,
        function=function,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
    )


def of_walk(walk: Walk, cell_file: str | None) -> Pools:
    """Convert all pools of a `Walk` to the document's pools; `cell_file` is the file name of the cell."""
    positions = walk.positions
    return Pools(
        strings=walk.strings.items,
        avals=[_aval(row) for row in walk.avals],
        literals=[LiteralValue(text=text, aval=number) for text, number in walk.literals],
        parameter_lists=[[Parameter(name=name, value=value) for name, value in row] for row in walk.parameter_lists],
        files=[source_file(source, cell_file) for source in positions.files],
        frames=[_frame(row) for row in positions.frames],
        stacks=[Stack(frames=frames, library=library) for frames, library in positions.stacks],
    )


def of_texts(walk: Walk, cell_file: str | None) -> Pools:
    """Convert only those pools of a `Walk` to which the lines of a text refer."""
    positions = walk.positions
    return Pools(
        strings=walk.strings.items,
        files=[source_file(source, cell_file) for source in positions.files],
        frames=[_frame(row) for row in positions.frames],
        stacks=[Stack(frames=frames, library=library) for frames, library in positions.stacks],
    )
