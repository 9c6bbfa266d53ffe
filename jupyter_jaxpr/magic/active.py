"""The cell that is observed now, and the result of a run that is ready to be published."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..observe.observation import Observation
from ..observe.run import Run
from ..typed.cell import LastCall, RunningCell
from .heartbeat import Heartbeat
from .options import Options

if TYPE_CHECKING:
    from ..measure.compare.variants import Comparison
    from ..measure.times.sweep import Sweep


@dataclass
class Active:
    """A cell under observation."""

    options: Options
    cell: RunningCell
    info: Any
    run: Run
    run_id: str
    heartbeat: Heartbeat
    last: LastCall = field(default_factory=LastCall)
    rewriter: ast.NodeTransformer | None = None
    comparison: Comparison | None = None
    sweep: Sweep | None = None


@dataclass(frozen=True)
class RunResult:
    """What a cell under `%%jaxpr`, or a line of `%jaxpr`, gave.

    Attributes:
        options: Of the magic.
        cell: The cell that ran; None outside of a cell.
        observation: What was observed or traced.
        run_id: Of the run.
        message: A sentence for the panel; None where there is nothing to say.
        comparison: Of `--compare`.
        sweep: Of `--sweep`.
    """

    options: Options
    cell: RunningCell | None
    observation: Observation
    run_id: str
    message: str | None
    comparison: Comparison | None = None
    sweep: Sweep | None = None
