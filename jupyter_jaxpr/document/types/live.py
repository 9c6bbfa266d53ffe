"""The structs of the answer about a cell that is being written; no document holds them."""

from __future__ import annotations

from typing import Annotated, Literal

from .diff import ProgramDiff
from .document import Snapshot
from .struct import Struct
from .struct import described as _text


class LiveProgram(Struct):
    """What became of a cell as it is written now; nothing of the cell ran."""

    state: Annotated[
        Literal["traced", "raised", "not_traced", "needs_arguments", "no_function", "no_python", "waiting", "stopped"],
        _text(
            "traced: snapshot has the program. raised: the trace raised an error; snapshot has the card in its notes. "
            "not_traced: a line would do more than compute, or Live does not run it. needs_arguments: no argument "
            "types are known. no_function: the cell defines none. no_python: the text does not parse, or is not "
            "Python. waiting: something is measured or recorded now. stopped: the trace took too long."
        ),
    ]
    function: Annotated[str | None, _text("The function that was chosen; null where none was.")]
    line: Annotated[int | None, _text("From 1: the line that the text is about; null where it is about none.")]
    text: Annotated[str | None, _text("What to know and what to do, sentences; null where the state says it all.")]
    snapshot: Annotated[Snapshot | None, _text("The document of a trace; no kernel stands behind it.")]
    seconds: Annotated[float, _text("How long the trace took.")]
    difference: Annotated[
        ProgramDiff | None, _text("What became of the program of the last run; null where there is none.")
    ] = None
    cost: Annotated[
        str | None, _text("What one call costs, and cost in the last run, in sentences; null where it is not counted.")
    ] = None
