"""The types of a diff of two programs, or of two texts of programs: one row for each equation or line."""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ROWS, SENTENCES, Refused
from .struct import Struct
from .struct import described as _text

Sign = Literal["same", "added", "removed", "changed", "moved"]
What = Literal["equation", "argument", "heading", "result", "line"]
Noise = Literal["convert", "broadcast", "wrapper", "unused"]


class DiffOf(Struct):
    """One side of a diff: which program of which run."""

    snapshot: Annotated[str, _text("The id of the run.")]
    program: Annotated[int, _text("The index into `programs` of the run.")]
    name: Annotated[str, _text("The name of the function.")]
    execution_count: Annotated[
        int | None, _text("The number n of the prompt In [n] of the run's cell; null outside a notebook.")
    ]
    created: Annotated[float, _text("The time of the run, in seconds since 1970.")]


class DiffChange(Struct):
    """One difference between the two sides of a row of a diff, such as another shape or parameter."""

    kind: Annotated[
        Literal[
            "operand", "shape", "dtype", "weak_type", "sharding", "type", "parameter", "primitive", "results", "effects"
        ],
        _text("The kind of the difference."),
    ]
    name: Annotated[
        str, _text("The name of a parameter, or the position of an operand, from 1; empty for other kinds.")
    ]
    before: Annotated[str, _text("The earlier form of the differing part, as text, cut at 300 characters.")]
    after: Annotated[str, _text("The later form of the differing part, as text, cut at 300 characters.")]
    text: Annotated[str, _text("The difference in words, such as shape: [8] → [4].")]


class DiffSide(Struct, omit_defaults=True):
    """One side of a row of a diff: an equation or a line, with the variable names of its own program."""

    text: Annotated[str, _text("The text of the row, without indent.")]
    scope: Annotated[int, _text("The index into `scopes` of the program's run; -1 for a line of a text.")]
    equation: Annotated[
        int,
        _text(
            "The index of the equation in the scope, or the number of the line in a text, from 0; -1 for other rows."
        ),
    ]
    line: Annotated[
        int,
        _text("The line of the cell that the equation was written on, from 1; 0 if the equation is not from the cell."),
    ]
    marks: Annotated[
        list[int], _text("The differing parts of `text`, as start, end, start, end, ... in UTF-16 code units.")
    ]
    noise: Annotated[
        list[Noise],
        _text(
            "The reasons why the row can be hidden. convert: the equation converts a dtype. broadcast: the equation "
            "broadcasts a value. wrapper: the row belongs to a jit that holds one equation. unused: nothing uses "
            "the results of the equation."
        ),
    ] = []
    outside: Annotated[
        str,
        _text(
            "For the equation inside a jit that holds one equation, the names that differ inside and outside of the "
            "jit, such as r = p; empty if the names are the same."
        ),
    ] = ""


class DiffRow(Struct):
    """A row of a diff: an equation, a line or a heading that one or both programs have."""

    sign: Annotated[Sign, _text("The change of the row from the earlier to the later program.")]
    what: Annotated[
        What, _text("The kind of the row. heading: the inputs of a program inside an equation. line: a line of a text.")
    ]
    depth: Annotated[int, _text("The number of scopes around the row; 0 for a row of the program itself.")]
    before: Annotated[
        DiffSide | None,
        _text("The row in the earlier program; null if the row was added, or is the new place of a moved row."),
    ]
    after: Annotated[
        DiffSide | None,
        _text("The row in the later program; null if the row was removed, or is the old place of a moved row."),
    ]
    changes: Annotated[list[DiffChange], _text("The differences between `before` and `after`.", most=ROWS)]
    primitive: Annotated[str, _text("The primitive of an equation; empty for other rows.")]
    partner: Annotated[
        int, _text("For a moved row, the number of the row of the other place; -1 if that row is not in the diff.")
    ]
    skipped: Annotated[int, _text("The number of equal rows that were left out before this row.")]


class ProgramDiff(Struct):
    """The diff of two programs, as jaxprs or as texts of the same level."""

    level: Annotated[Literal["jaxpr", "stablehlo", "hlo"], _text("The kind of the compared text.")]
    before: Annotated[DiffOf, _text("The earlier program.")]
    after: Annotated[DiffOf, _text("The later program.")]
    added: Annotated[int, _text("The number of added equations, or of added lines of a text.")]
    removed: Annotated[int, _text("The number of removed equations, or of removed lines of a text.")]
    changed: Annotated[int, _text("The number of changed equations, or of changed lines of a text.")]
    moved: Annotated[int, _text("The number of moved equations, or of moved lines of a text; each counts once.")]
    signature: Annotated[
        int, _text("The number of arguments and results that were added, removed or changed, including inner programs.")
    ]
    summary: Annotated[str, _text("The number of differences, in sentences.")]
    remarks: Annotated[
        list[str],
        _text("Further differences, such as equations that were wrapped in a scan, as sentences.", most=SENTENCES),
    ]
    rows: Annotated[
        list[DiffRow], _text("The rows, in the order in which the programs are read.", most=Refused.DIFF_ROWS)
    ]
    skipped: Annotated[int, _text("The number of equal rows that were left out after the last row.")]
    left_out: Annotated[
        int, _text("The number of differing rows that were left out because the diff has too many rows.")
    ]
