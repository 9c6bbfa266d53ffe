"""Copies the pools (types, files, stacks) and the columns of a walk into the document."""

from __future__ import annotations

import linecache
from collections.abc import Sequence

from ..document.pools import Pools
from ..document.types.document import (
    Aval,
    Child,
    Effects,
    File,
    Frame,
    LiteralValue,
    Parameter,
    Scope,
    Stack,
)
from ..program.jaxpr.avals import AvalRow
from ..program.jaxpr.scope_columns import ScopeColumns
from ..program.jaxpr.walk import Walk
from ..program.source.positions import FrameRow, SourceFile


def _aval(row: AvalRow) -> Aval:
    return Aval(
        text=row.text,
        shape=list(row.shape),
        dtype=row.dtype,
        weak=row.weak,
        sharding=row.sharding,
    )


def _file(source: SourceFile, cell_file: str | None) -> File:
    """Convert a source file to its struct in the document, without the text of the cell.

    The document has it already.
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
    """Convert all pools of a walk to the document's pools; `cell_file` is the file name of the cell."""
    positions = walk.positions
    return Pools(
        strings=walk.strings.items,
        avals=[_aval(row) for row in walk.avals],
        literals=[LiteralValue(text=text, aval=number) for text, number in walk.literals],
        parameter_lists=[[Parameter(name=name, value=value) for name, value in row] for row in walk.parameter_lists],
        files=[_file(source, cell_file) for source in positions.files],
        frames=[_frame(row) for row in positions.frames],
        stacks=[Stack(frames=frames, library=library) for frames, library in positions.stacks],
    )


def of_texts(walk: Walk, cell_file: str | None) -> Pools:
    """Convert only those pools of a walk to which the lines of a text refer."""
    positions = walk.positions
    return Pools(
        strings=walk.strings.items,
        files=[_file(source, cell_file) for source in positions.files],
        frames=[_frame(row) for row in positions.frames],
        stacks=[Stack(frames=frames, library=library) for frames, library in positions.stacks],
    )


def scope(
    columns: ScopeColumns,
    *,
    first: int = 0,
    count: int | None = None,
    names: Sequence[str | None] | None = None,
) -> Scope:
    """Convert a scope, or a range of its equations, to its struct in the document.

    Args:
        columns: The columns of the scope in the walk.
        first: The index of the first equation to take.
        count: The number of equations to take; with None all are taken, and the lists of the columns are shared, not
            copied.
        names: The printed names of all variables of the scope, if the document states them.
    """
    last = columns.count if count is None else min(first + count, columns.count)
    begin = 0 if first == 0 else _variables_before(columns, first)
    end = _variables_before(columns, last)
    part = slice(first, last)
    all_of_it = first == 0 and last == columns.count
    sent_names = None
    if names is not None:
        sent_names = [name or "…" for name in names[begin:end]]
    return Scope(
        name=columns.name,
        constants=columns.constants,
        inputs=columns.inputs,
        outputs=columns.outputs,
        count=columns.count,
        total=columns.total,
        first_equation=first,
        first_variable=begin,
        variable_avals=columns.variable_avals if all_of_it else columns.variable_avals[begin:end],
        dropped=[variable for variable in columns.dropped if begin <= variable < end],
        names=sent_names,
        primitive=columns.primitive if all_of_it else columns.primitive[part],
        operands=columns.operands if all_of_it else columns.operands[part],
        output_counts=columns.output_counts if all_of_it else columns.output_counts[part],
        parameters=columns.parameters if all_of_it else columns.parameters[part],
        stack=columns.stack if all_of_it else columns.stack[part],
        name_stack=columns.name_stack if all_of_it else columns.name_stack[part],
        children=[
            Child(equation=equation, parameter=parameter, position=position, scope=child)
            for equation, parameter, position, child in columns.children
            if first <= equation < last
        ],
        effects=[
            Effects(equation=equation, effects=effects)
            for equation, effects in columns.effects
            if first <= equation < last
        ],
    )


def _variables_before(columns: ScopeColumns, equation: int) -> int:
    if equation >= columns.count:
        return len(columns.variable_avals)
    return columns.constants + columns.inputs + sum(columns.output_counts[:equation])
