"""The types of XLA's passes, as the wire has them: the changes of each pass, and a page of the diff of one pass."""

from __future__ import annotations

from typing import Annotated

from .struct import Struct
from .struct import described as _text


class XlaPass(Struct):
    """An XLA pass that changed the program."""

    name: Annotated[
        str,
        _text(
            "The name of the pass as XLA prints the name, such as algsimp; `before PIPELINE` stands for the changes "
            "between the previous dump and the start of the pipeline."
        ),
    ]
    pipeline: Annotated[str, _text("The pipeline that the pass belongs to.")]
    before: Annotated[int, _text("The number of instructions of the module before the pass.")]
    after: Annotated[int, _text("The number of instructions of the module after the pass.")]
    added: Annotated[int, _text("The number of lines that the pass added.")]
    removed: Annotated[int, _text("The number of lines that the pass removed.")]


class ProgramPasses(Struct):
    """The XLA passes of one program, in the order in which the passes ran."""

    program: Annotated[int, _text("The index into `programs` of the program.")]
    seconds: Annotated[
        float, _text("The seconds that another compilation of the program and reading the dumps of XLA took.")
    ]
    passes: Annotated[list[XlaPass], _text("The passes that changed the program.")]
    left_out: Annotated[int, _text("The number of dumps that were not read because the dumps have too many bytes.")]


class PassDiff(Struct):
    """Some lines of the unified diff of a pass."""

    program: Annotated[int, _text("The index into `programs` of the program.")]
    index: Annotated[int, _text("The index of the pass in the passes of the program.")]
    lines: Annotated[int, _text("The number of lines of the whole diff.")]
    first_line: Annotated[int, _text("The index of the first line of this page, from 0.")]
    text: Annotated[
        str,
        _text(
            "The lines of this page: each line begins with +, -, a space, or @@ for a computation, or is … for a gap."
        ),
    ]
