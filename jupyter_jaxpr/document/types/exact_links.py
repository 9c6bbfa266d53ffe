"""The types of the exact links of a program, from its tagged twin; pages contain the texts of the twin."""

from __future__ import annotations

from typing import Annotated, Literal

from .struct import Struct
from .struct import described as _text


class ExactLevel(Struct):
    """The links of one text of the twin, and the comparison of this text with the program's own text."""

    name: Annotated[Literal["stablehlo", "hlo"], _text("The kind of the text.")]
    lines: Annotated[int, _text("The number of lines of the whole text.")]
    instructions: Annotated[
        int,
        _text(
            "The number of operations in the text; constants and operations that only move or name values do not count."
        ),
    ]
    linked: Annotated[int, _text("The number of operations that come from equations, as the twin states.")]
    single: Annotated[int, _text("The number of operations that come from one equation alone, as the twin states.")]
    inferred: Annotated[
        int,
        _text(
            "The number of operations for which the twin states no equation and other lines tell the equation: see "
            "`inferred_lines`."
        ),
    ]
    same: Annotated[
        bool | None,
        _text("True if the twin's text says the same as the program's own text; null if the program has no such text."),
    ]
    words: Annotated[str, _text("The comparison of the two texts as a sentence, with the number of differences.")]


class ExactLinks(Struct):
    """The links from a program's twin, a second compile whose instructions have the numbers of their equations."""

    program: Annotated[int, _text("The index into `programs` of the program.")]
    lower_seconds: Annotated[float, _text("The seconds that lowering the twin took.")]
    compile_seconds: Annotated[float, _text("The seconds that compiling the twin took.")]
    equations: Annotated[int, _text("The number of equations of the program.")]
    reached: Annotated[int, _text("The number of equations that at least one instruction of the HLO comes from.")]
    levels: Annotated[list[ExactLevel], _text("The texts of the twin: StableHLO, then HLO.")]
