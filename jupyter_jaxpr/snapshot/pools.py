"""The pools of a walk in, the document's pools out: all of them, or the part that one page needs."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Sequence
from typing import Any

from ..program.jaxpr import AvalRow, ScopeColumns, Walk
from ..program.sources import FrameRow, SourceFile
from .document import (
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


def aval(row: AvalRow) -> Aval:
    """The document's form of a type."""
    return Aval(
        text=row.text,
        shape=list(row.shape),
        dtype=row.dtype,
        weak=row.weak,
        sharding=row.sharding,
    )


def file(source: SourceFile, cell_file: str | None) -> File:
    """The document's form of a file; `cell_file` is that of the cell that ran, whose text is in the document."""
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


def frame(row: FrameRow) -> Frame:
    """The document's form of a frame."""
    number, function, line, column, end_line, end_column = row
    return Frame(
        file=number,
        function=function,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
    )


def stack(row: tuple[list[int], list[int]]) -> Stack:
    """The document's form of a stack."""
    return Stack(frames=row[0], library=row[1])


def whole(walk: Walk, cell_file: str | None) -> dict[str, Any]:
    """All pools of a walk but its scopes, as fields of `Snapshot`."""
    positions = walk.positions
    return {
        "strings": walk.strings.items,
        "avals": [aval(row) for row in walk.avals],
        "literals": [LiteralValue(text=text, aval=number) for text, number in walk.literals],
        "parameter_lists": [
            [Parameter(name=name, value=value) for name, value in row] for row in walk.parameter_lists
        ],
        "files": [file(source, cell_file) for source in positions.files],
        "frames": [frame(row) for row in positions.frames],
        "stacks": [stack(row) for row in positions.stacks],
    }


def scope(
    columns: ScopeColumns,
    *,
    first: int = 0,
    count: int | None = None,
    names: Sequence[str | None] | None = None,
) -> Scope:
    """The document's form of a scope, or of some of its equations.

    Args:
        columns: The scope.
        first: Index of the first equation to take.
        count: How many equations to take; None takes all, and shares the columns' lists.
        names: Printed names of all its variables, where the document shall state them.
    """
    last = columns.count if count is None else min(first + count, columns.count)
    begin = 0 if first == 0 else _variables_before(columns, first)
    end = _variables_before(columns, last)
    part = slice(first, last)
    all_of_it = first == 0 and last == columns.count
    given = None
    if names is not None:
        given = [name or "…" for name in names[begin:end]]
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
        names=given,
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


class Part:
    """The part of a walk's pools that a page needs: indices are handed out as they are asked for."""

    def __init__(self, walk: Walk, cell_file: str | None) -> None:
        self._walk = walk
        self._cell_file = cell_file
        self._numbers: dict[tuple[str, int], int] = {}
        self.strings: list[str] = []
        self.avals: list[Aval] = []
        self.literals: list[LiteralValue] = []
        self.parameter_lists: list[list[Parameter]] = []
        self.files: list[File] = []
        self.frames: list[Frame] = []
        self.stacks: list[Stack] = []

    def fields(self) -> dict[str, Any]:
        """The pools that go with any page."""
        return {
            "strings": self.strings,
            "files": self.files,
            "frames": self.frames,
            "stacks": self.stacks,
        }

    def string(self, number: int) -> int:
        """Index here of a string of the walk."""
        return self._take("string", number, self.strings, lambda: self._walk.strings.items[number])

    def aval(self, number: int) -> int:
        """Index here of a type."""
        return self._take("aval", number, self.avals, lambda: aval(self._walk.avals[number]))

    def operands(self, operands: Iterable[int]) -> list[int]:
        """Operands, their literals as here."""
        return [operand if operand >= 0 else -1 - self._literal(-1 - operand) for operand in operands]

    def _literal(self, number: int) -> int:
        text, kind = self._walk.literals[number]
        return self._take(
            "literal",
            number,
            self.literals,
            lambda: LiteralValue(text=self.string(text), aval=self.aval(kind)),
        )

    def parameters(self, number: int) -> int:
        """Index here of a list of parameters."""
        if number < 0:
            return -1
        row = self._walk.parameter_lists[number]
        return self._take(
            "parameters",
            number,
            self.parameter_lists,
            lambda: [
                Parameter(name=self.string(name), value=-1 if value < 0 else self.string(value))
                for name, value in row
            ],
        )

    def stack(self, number: int) -> int:
        """Index here of a stack."""
        if number < 0:
            return -1
        frames, library = self._walk.positions.stacks[number]
        return self._take(
            "stack",
            number,
            self.stacks,
            lambda: Stack(
                frames=[self.frame(each) for each in frames],
                library=[self.frame(each) for each in library],
            ),
        )

    def frame(self, number: int) -> int:
        """Index here of a frame."""
        file_number, function, *span = self._walk.positions.frames[number]
        return self._take(
            "frame",
            number,
            self.frames,
            lambda: frame((self._file(file_number), self.string(function), *span)),
        )

    def _file(self, number: int) -> int:
        source = self._walk.positions.files[number]
        return self._take("file", number, self.files, lambda: file(source, self._cell_file))

    def _take(self, kind: str, number: int, pool: list[Any], make: Any) -> int:
        key = (kind, number)
        here = self._numbers.get(key)
        if here is None:
            made = make()  # may take others of the same kind, never itself
            here = self._numbers[key] = len(pool)
            pool.append(made)
        return here
