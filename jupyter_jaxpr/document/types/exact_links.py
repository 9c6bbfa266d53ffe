"""The types of the exact links of a program, from its tagged twin; the twin's texts travel in pages."""

from __future__ import annotations

from typing import Annotated, Literal

from .struct import Struct
from .struct import described as _text


class ExactLevel(Struct):
    """How one text of the twin is linked, and whether it is that of the program."""

    name: Annotated[Literal["stablehlo", "hlo"], _text("Which text.")]
    lines: Annotated[int, _text("Of the whole text.")]
    instructions: Annotated[int, _text("Its operations, constants and what only moves or names values left out.")]
    linked: Annotated[int, _text("Those that come from equations, as the twin states.")]
    single: Annotated[int, _text("Those that come from one equation alone, as the twin states.")]
    inferred: Annotated[int, _text("Those of which it states none, and that others tell: see `inferred_lines`.")]
    same: Annotated[bool | None, _text("Whether it says the same as the program's own text; null: there is none.")]
    words: Annotated[str, _text("The same as a sentence, with the numbers.")]


class ExactLinks(Struct):
    """A twin of a program: compiled beside it, each equation with a number that its instructions carry."""

    program: Annotated[int, _text("Index into programs.")]
    lower_seconds: Annotated[float, _text("That lowering the twin took.")]
    compile_seconds: Annotated[float, _text("That compiling it took.")]
    equations: Annotated[int, _text("Equations of the program.")]
    reached: Annotated[int, _text("Those that any instruction of the HLO comes from.")]
    levels: Annotated[list[ExactLevel], _text("StableHLO, then HLO.")]
