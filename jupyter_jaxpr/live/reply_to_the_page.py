"""Makes Live's answer on a cell: a state, with the fields that belong to the state."""

from __future__ import annotations

from typing import Any

from ..document.types.document import Snapshot
from ..document.types.live import LiveProgram


def answer(
    state: Any,
    function: str | None = None,
    line: int | None = None,
    text: str | None = None,
    document: Snapshot | None = None,
    seconds: float = 0.0,
    cost: str | None = None,
) -> LiveProgram:
    """Return an answer of Live.

    Args:
        state: The state, such as `traced` or `not_traced`.
        function: The name of the function; None without one.
        line: The line of the cell that the text is about; None without one.
        text: The sentences for the user; None without any.
        document: The document with the program, or with the card of an error; None without one.
        seconds: The seconds of the trace.
        cost: A sentence that compares the cost of the program with the cost in the last run; None without one.
    """
    return LiveProgram(
        state=state, function=function, line=line, text=text, snapshot=document, seconds=seconds, cost=cost
    )
