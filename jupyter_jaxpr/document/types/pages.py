"""The types of pages: lines of a text, or equations of a scope, that are too many for a snapshot.

Each page brings pools of its own, so that a reader needs no other page.
"""

from __future__ import annotations

from typing import Annotated, Literal

from .document import Aval, File, Frame, LiteralValue, Parameter, Scope, Stack
from .struct import Struct
from .struct import described as _text


class TextPage(Struct):
    """Some lines of StableHLO or HLO, with the origin of each line."""

    level: Annotated[Literal["stablehlo", "hlo"], _text("The kind of the text.")]
    characters: Annotated[int, _text("The number of characters of the whole text.")]
    lines: Annotated[int, _text("The number of lines of the whole text.")]
    sha256: Annotated[str, _text("The SHA-256 hash of the whole text.")]
    first_line: Annotated[int, _text("The index in the whole text of the first line of this page, from 0.")]
    text: Annotated[str, _text("The lines of this page, separated by newlines.")]
    line_stacks: Annotated[
        list[int], _text("The index into `stacks` of this page for each line of this page; -1 if a line has no stack.")
    ]
    strings: Annotated[list[str], _text("The pool of strings of this page.")]
    files: Annotated[list[File], _text("The pool of files of this page.")]
    frames: Annotated[list[Frame], _text("The pool of frames of this page.")]
    stacks: Annotated[list[Stack], _text("The pool of call stacks of this page.")]
    inferred_lines: Annotated[
        list[int], _text("The lines of the whole text, ascending, whose stack follows from other lines.")
    ] = []
    other_stacks: Annotated[
        list[list[int]],
        _text(
            "The lines that may come from several places, as in Level: the line of the whole text, then the further "
            "stacks of this page."
        ),
    ] = []
    named_equations: Annotated[
        list[list[int]],
        _text(
            "The lines of the HLO that are one equation among several, as in Level: the line of the whole text, the "
            "scope and the equation."
        ),
    ] = []
    line_equations: Annotated[
        list[list[int]] | None,
        _text(
            "The origins of the lines of a twin: a line of the whole text, then the scope and the index of each "
            "equation that the line comes from; null if the text is not the text of a twin."
        ),
    ] = None


class ScopeEquations(Struct):
    """The first equations of a scope inside other scopes of a page; the indices point into the page's pools."""

    number: Annotated[int, _text("The index of the scope in the snapshot's `scopes`.")]
    scope: Annotated[Scope, _text("The columns of these equations, with names.")]
    operands: Annotated[
        list[int],
        _text("The variables that later equations bind and that are outputs of the scope."),
    ]
    operand_names: Annotated[list[str], _text("The printed names of these variables.")]


class ScopePage(Struct):
    """Some equations of a scope. Indices refer to the page's pools; inner programs refer to the snapshot's scopes."""

    scope: Annotated[Scope, _text("The columns of these equations, with names.")]
    operands: Annotated[
        list[int],
        _text(
            "The variables that are bound outside these equations and that these equations or the scope's outputs use."
        ),
    ]
    operand_names: Annotated[list[str], _text("The printed names of these variables.")]
    strings: Annotated[list[str], _text("The pool of strings of this page.")]
    avals: Annotated[list[Aval], _text("The pool of types of this page.")]
    literals: Annotated[list[LiteralValue], _text("The pool of literals of this page.")]
    parameter_lists: Annotated[list[list[Parameter]], _text("The pool of parameter lists of this page.")]
    files: Annotated[list[File], _text("The pool of files of this page.")]
    frames: Annotated[list[Frame], _text("The pool of frames of this page.")]
    stacks: Annotated[list[Stack], _text("The pool of call stacks of this page.")]
    inner: Annotated[
        list[ScopeEquations],
        _text(
            "The equations of the programs inside these equations, the outer program before the inner program, as "
            "many as fit."
        ),
    ] = []
