"""Holds the states of a cell under the magic: while it is observed, before its result is published, and when shown."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..observe.cell_run import Run
from ..observe.observation import Observation
from ..observe.outside_jit.recorded_calls import RecordedCalls
from ..observe.outside_jit.recorded_cell import RecordedCell
from ..typed.observed_cell import LastCall, RunningCell
from .magic_line_options import Options
from .progress_of_long_cells import Heartbeat

if TYPE_CHECKING:
    from ..build.document_of_run import Built
    from ..measure.compare.compared_functions import Comparison
    from ..measure.times.sweep_run import Sweep
    from ..observe.cache.ledger_for_scripts import Ledger


@dataclass
class ActiveCell:
    """A cell that is being observed.

    Attributes:
        other_calls: the calls of the cell's last statement, except the last call.
    """

    options: Options
    cell: RunningCell
    info: Any
    run: Run
    run_id: str
    heartbeat: Heartbeat
    recorded: RecordedCalls
    recorded_cell: RecordedCell
    last: LastCall = field(init=False)
    other_calls: list[LastCall] = field(default_factory=list)
    rewriter: ast.NodeTransformer | None = None
    comparison: Comparison | None = None
    sweep: Sweep | None = None

    def __post_init__(self) -> None:
        """Make the `LastCall` of the cell; it reports the calls of the last statement to `recorded`."""
        self.last = LastCall(self.recorded)

    def forget(self) -> None:
        """Drop the references to the user's values."""
        self.recorded.forget()
        for call in (self.last, *self.other_calls):
            call.forget()
        self.other_calls.clear()


@dataclass(frozen=True)
class Shown:
    """A cell whose run was shown: the document with its live sources, and the ledger at the end of the run."""

    built: Built
    ledger: Ledger | None


@dataclass(frozen=True)
class RunResult:
    """The result of a cell under `%%jaxpr` or of a line of `%jaxpr`.

    Attributes:
        options: The options of the magic.
        cell: The cell that ran; None outside of a cell.
        observation: The observation or the trace.
        run_id: The id of the run.
        message: A sentence for the panel, such as why there is no program; None if there is none.
        comparison: The result of `--compare`.
        sweep: The result of `--sweep`.
    """

    options: Options
    cell: RunningCell | None
    observation: Observation
    run_id: str
    message: str | None
    comparison: Comparison | None = None
    sweep: Sweep | None = None
