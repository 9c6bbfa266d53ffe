"""What each of XLA's passes did to a program, and a page of one pass's diff, as the wire has them."""

from __future__ import annotations

from typing import Annotated

from .struct import Struct
from .struct import described as _text


class XlaPass(Struct):
    """A pass that changed something."""

    name: Annotated[str, _text("As XLA names it, such as algsimp; before PIPELINE: what was changed between two.")]
    pipeline: Annotated[str, _text("The pipeline it belongs to.")]
    before: Annotated[int, _text("Instructions of the module before it.")]
    after: Annotated[int, _text("Instructions after it.")]
    added: Annotated[int, _text("Lines that are new.")]
    removed: Annotated[int, _text("Lines that are gone.")]


class ProgramPasses(Struct):
    """The passes of one program, in the order in which they ran."""

    program: Annotated[int, _text("Index into programs.")]
    seconds: Annotated[float, _text("That compiling once more took, and reading what XLA wrote.")]
    passes: Annotated[list[XlaPass], _text("Those that changed something.")]
    left_out: Annotated[int, _text("Dumps that were too many bytes to be read.")]


class PassDiff(Struct):
    """Some lines of what a pass changed, as a unified diff."""

    program: Annotated[int, _text("Index into programs.")]
    index: Annotated[int, _text("Index into the program's passes.")]
    lines: Annotated[int, _text("Lines of the whole diff.")]
    first_line: Annotated[int, _text("Index of the first line here, from 0.")]
    text: Annotated[str, _text("The lines: each begins with +, -, a space, @@ for a computation, or is … for a gap.")]
