"""The types of a diff: two programs, or two texts of them, row by row, in the order in which they are read."""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import FUNCTIONS, ROWS, SENTENCES
from .struct import Struct
from .struct import described as _text

Sign = Literal["same", "added", "removed", "changed", "moved"]
What = Literal["equation", "argument", "heading", "result", "line"]
Noise = Literal["convert", "broadcast", "wrapper", "unused"]


class DiffOf(Struct):
    """One side of a diff."""

    snapshot: Annotated[str, _text("Id of the run.")]
    program: Annotated[int, _text("Index into its programs.")]
    name: Annotated[str, _text("The function's name.")]
    execution_count: Annotated[int | None, _text("The number in In [n] of its cell; null outside a notebook.")]
    created: Annotated[float, _text("When it ran: seconds since 1970.")]


class DiffChange(Struct):
    """One thing that differs in a row."""

    kind: Annotated[
        Literal[
            "operand", "shape", "dtype", "weak_type", "sharding", "type", "parameter", "primitive", "results", "effects"
        ],
        _text("What differs."),
    ]
    name: Annotated[str, _text("Of a parameter its name, of an operand its place from 1; else empty.")]
    before: Annotated[str, _text("As text, cut at 300 characters.")]
    after: Annotated[str, _text("As text, cut at 300 characters.")]
    text: Annotated[str, _text("The difference in words, such as shape: [8] → [4].")]


class DiffSide(Struct, omit_defaults=True):
    """A row of one of the two programs, in its own names."""

    text: Annotated[str, _text("Without indent.")]
    scope: Annotated[int, _text("Index into the scopes of its snapshot; -1 for a line of a text.")]
    equation: Annotated[int, _text("Index in that scope; of a line of a text its number, from 0; -1 for neither.")]
    line: Annotated[int, _text("The line of the cell it was written on, from 1; 0 where it is not in the cell.")]
    marks: Annotated[list[int], _text("What differs, as start, end, start, end, ... in text, in UTF-16 code units.")]
    noise: Annotated[
        list[Noise],
        _text(
            "Why it can be hidden: it is a convert, a broadcast, of a jit that holds one equation, of what is unused."
        ),
    ] = []
    outside: Annotated[
        str,
        _text(
            "Of the equation in such a jit: its names inside and outside, such as r = p; empty where they are the same."
        ),
    ] = ""


class DiffRow(Struct):
    """A row: what stands on both sides, or on one."""

    sign: Annotated[Sign, _text("What became of it.")]
    what: Annotated[What, _text("heading: the inputs of a program inside an equation. line: of a text.")]
    depth: Annotated[int, _text("How many scopes are around the row; 0 for a row of the program itself.")]
    before: Annotated[DiffSide | None, _text("Null where it was added, or is where something was moved to.")]
    after: Annotated[DiffSide | None, _text("Null where it was removed, or is where something was moved from.")]
    changes: Annotated[list[DiffChange], _text("What differs.", most=ROWS)]
    primitive: Annotated[str, _text("Of an equation; else empty.")]
    partner: Annotated[int, _text("Of a moved one: the row of its other place; -1 where that is not here.")]
    skipped: Annotated[int, _text("Equal rows that were left out before this one.")]


class ProgramDiff(Struct):
    """What became of one program in another; both are of the same kind of text."""

    level: Annotated[Literal["jaxpr", "stablehlo", "hlo"], _text("What was compared.")]
    before: Annotated[DiffOf, _text("The one.")]
    after: Annotated[DiffOf, _text("The other.")]
    added: Annotated[int, _text("Equations, or lines of a text.")]
    removed: Annotated[int, _text("Equations, or lines of a text.")]
    changed: Annotated[int, _text("Equations, or lines of a text.")]
    moved: Annotated[int, _text("Equations, or lines of a text; each once.")]
    signature: Annotated[int, _text("Arguments and results that were added, removed or changed, inner ones included.")]
    summary: Annotated[str, _text("How much differs: a sentence.")]
    remarks: Annotated[
        list[str], _text("What else is to be known, such as what was wrapped in a scan: sentences.", most=SENTENCES)
    ]
    rows: Annotated[list[DiffRow], _text("In order.", most=FUNCTIONS)]
    skipped: Annotated[int, _text("Equal rows that were left out after the last one.")]
    left_out: Annotated[int, _text("Rows that differ and were left out, for there are too many.")]
