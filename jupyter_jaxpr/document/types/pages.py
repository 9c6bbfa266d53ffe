"""Pages of what a snapshot is too large to hold: lines of a text, equations of a scope.

Each page brings pools of its own, so it can be read without the others.
"""

from __future__ import annotations

from typing import Annotated, Literal

from .document import Aval, File, Frame, LiteralValue, Parameter, Scope, Stack
from .struct import Struct
from .struct import described as _text


class TextPage(Struct):
    """Some lines of StableHLO or HLO, each with where it came from."""

    level: Annotated[Literal["stablehlo", "hlo"], _text("Which text.")]
    characters: Annotated[int, _text("Length of the whole text.")]
    lines: Annotated[int, _text("Lines of the whole text.")]
    sha256: Annotated[str, _text("Hash of the whole text.")]
    first_line: Annotated[int, _text("Index of the first line here, from 0.")]
    text: Annotated[str, _text("The lines, separated by newlines.")]
    line_stacks: Annotated[list[int], _text("Of each line here: index into stacks below; -1 for none.")]
    strings: Annotated[list[str], _text("Pool of this page.")]
    files: Annotated[list[File], _text("Pool of this page.")]
    frames: Annotated[list[Frame], _text("Pool of this page.")]
    stacks: Annotated[list[Stack], _text("Pool of this page.")]
    inferred_lines: Annotated[
        list[int], _text("Lines of the whole text, ascending, whose stack follows from other lines.")
    ] = []
    other_stacks: Annotated[
        list[list[int]], _text("As in a level: the line of the whole text, then stacks of this page.")
    ] = []
    named_equations: Annotated[
        list[list[int]], _text("As in a level: the line of the whole text, then scope and equation.")
    ] = []
    line_equations: Annotated[
        list[list[int]] | None,
        _text(
            "Of a twin: a line of the whole text, then scope and equation of each equation that it comes from; null: "
            "it is not a twin's."
        ),
    ] = None


class ScopeEquations(Struct):
    """The first equations of a scope that is inside of others of a page, in whose pools its indices point."""

    number: Annotated[int, _text("Which of the snapshot's scopes.")]
    scope: Annotated[Scope, _text("The columns of these equations, with names.")]
    operands: Annotated[list[int], _text("Variables that are bound by later equations, and are the scope's outputs.")]
    operand_names: Annotated[list[str], _text("Their printed names.")]


class ScopePage(Struct):
    """Some equations of a scope; its indices point into the pools here, its children to the snapshot's scopes."""

    scope: Annotated[Scope, _text("The columns of these equations, with names.")]
    operands: Annotated[list[int], _text("Variables bound elsewhere that these equations or the scope's outputs use.")]
    operand_names: Annotated[list[str], _text("Their printed names.")]
    strings: Annotated[list[str], _text("Pool of this page.")]
    avals: Annotated[list[Aval], _text("Pool of this page.")]
    literals: Annotated[list[LiteralValue], _text("Pool of this page.")]
    parameter_lists: Annotated[list[list[Parameter]], _text("Pool of this page.")]
    files: Annotated[list[File], _text("Pool of this page.")]
    frames: Annotated[list[Frame], _text("Pool of this page.")]
    stacks: Annotated[list[Stack], _text("Pool of this page.")]
    inner: Annotated[
        list[ScopeEquations], _text("Of the programs inside of these equations, outer before inner, while they fit.")
    ] = []


class SourceStretch(Struct):
    """Lines of a file."""

    first_line: Annotated[int, _text("From 1.")]
    text: Annotated[str, _text("The lines, separated by newlines.")]


class SourcePage(Struct):
    """The text of a file that frames point into; of a long one the functions that ran."""

    path: Annotated[str, _text("As in files.")]
    lines: Annotated[int, _text("Lines of the whole file; 0 where it is not here.")]
    stretches: Annotated[list[SourceStretch], _text("Ascending; none where it is not here.")]
    missing: Annotated[str | None, _text("Why it cannot be shown, and what to do: a sentence; else null.")]
