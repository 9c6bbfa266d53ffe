"""Holds a request for a live trace: the cell, and what the kernel knows of the cell and of earlier runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..observe.observation import ArgumentSpec
from .cost_since_last_run import LastRun
from .last_level import LastLevel, SlowCompiles
from .live_time_limit import TimeLimit

if TYPE_CHECKING:
    from ..program.source.positions import CellText


@dataclass(frozen=True)
class CellToTrace:
    """A cell that Live traces.

    Attributes:
        source: The source of the cell.
        cell_id: The id of the cell in the notebook.
        line: The line of the caret, from 1; None if the caret is not in the cell.
        in_view: The name of the program in view; None without one.
        specs: The argument types that the user typed; None if the user typed none.
        last_level: The last level to make.
        is_asked_for: True if the user asked for this trace explicitly, rather than by editing the cell.
    """

    source: str
    cell_id: str
    line: int | None = None
    in_view: str | None = None
    specs: str | None = None
    last_level: LastLevel = "jaxpr"
    is_asked_for: bool = False


#: A function that gets the name of a user's function, and returns the arguments of its observed calls, newest call
#: first.
ObservedCalls = Callable[[str], Iterable[Sequence[ArgumentSpec]]]


@dataclass(frozen=True)
class TraceRequest:
    """The values that belong to one request for a live trace.

    Attributes:
        cell_to_trace: The cell.
        observed: A function: name -> arguments of the observed calls.
        cells: `co_filename` of a cell's code -> the cell.
        seconds: The seconds after which the trace is stopped.
        last_run: A function: name -> last run of the function.
        limit: The time limit of the trace.
        slow_compiles: The cells that are only compiled at the user's request.
    """

    cell_to_trace: CellToTrace
    observed: ObservedCalls
    cells: Mapping[str, CellText]
    seconds: float
    last_run: LastRun
    limit: TimeLimit
    slow_compiles: SlowCompiles
