"""The types of the answer about a cell that is being written; no document holds such an answer."""

from __future__ import annotations

from typing import Annotated, Literal

from .document import Snapshot
from .struct import Struct
from .struct import described as _text


class LiveProgram(Struct):
    """The program of a cell as the cell is written now; no part of the cell ran."""

    state: Annotated[
        Literal["traced", "raised", "not_traced", "needs_arguments", "no_function", "no_python", "waiting", "stopped"],
        _text(
            "The outcome of the trace. traced: `snapshot` has the program. raised: the trace raised an error; the "
            "notes of `snapshot` have the error. not_traced: a line would do more than compute, or Live does not "
            "run the line. needs_arguments: no argument types are known. no_function: the cell defines no function. "
            "no_python: the text does not parse, or is not Python. waiting: the kernel measures or records "
            "something now. stopped: the trace took too long."
        ),
    ]
    function: Annotated[str | None, _text("The name of the function that Live chose; null if Live chose no function.")]
    line: Annotated[int | None, _text("The line that `text` is about, from 1; null if `text` is about no line.")]
    text: Annotated[
        str | None,
        _text("The facts that the user should know and the advice, as sentences; null if the state says everything."),
    ]
    snapshot: Annotated[
        Snapshot | None, _text("The document of the trace; of all requests, only live_diff can be about this document.")
    ]
    seconds: Annotated[float, _text("The seconds that the trace took.")]
    cost: Annotated[
        str | None,
        _text("The cost of one call now and in the last run, in sentences; null if the cost is not counted."),
    ] = None
