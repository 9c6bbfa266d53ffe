"""The request for the program of a function of a cell, by the present text of the cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from ...build.document_of_run import Sources
from ...build.texts.stablehlo_and_hlo import Unavailable
from ...document.types.document import Snapshot
from ...document.types.live import LiveProgram
from ...document.types.struct import described
from ...live.argument_types import observed_calls
from ...live.live_program import Live
from ...live.sentences_of_untraced_cells import CELL_NOT_RUN
from ...live.trace_request import CellToTrace
from ...observe.observation import ArgumentSpec
from ..base_of_requests import Request, RequestContext
from ..kept_runs import Runs

_live = Live()


class LiveRequest(Request, tag="live"):
    """Trace a function of a cell as it is written: the user typed in the cell, or asked for one trace.

    The function's Python runs on tracers, if it has no side effects. No call of the cell is made, and nothing is
    compiled unless `last_level` is hlo.
    """

    is_of_kernel: ClassVar[bool] = True

    source: Annotated[str, described("The text of the cell, as the user sees the text.")]
    cell_id: Annotated[str, described("The id of the cell in the notebook.")]
    line: Annotated[int | None, described("The line of the caret, from 1; null if the caret is not in the cell.")]
    in_view: Annotated[str | None, described("The name of the program in view; null if no program is in view.")]
    specs: Annotated[
        str | None, described("The argument types that the user typed in this page; null if the user typed none.")
    ]
    last_level: Annotated[
        Literal["jaxpr", "stablehlo", "hlo"],
        described("The last text to make. For hlo, XLA compiles the program, outside of all caches and counts."),
    ] = "jaxpr"
    is_asked_for: Annotated[bool, described("True if the user asked for this trace by the command, not by typing.")] = (
        False
    )

    def answer(self, context: RequestContext) -> LiveProgram:
        cells = context.kernel.cells
        if cells is None or not cells.may_trace(self.cell_id):
            raise Unavailable(CELL_NOT_RUN)
        if context.kernel.is_measuring:
            return LiveProgram(state="waiting", function=None, line=None, text=None, snapshot=None, seconds=0.0)
        names = context.namespace()
        live = _live.trace(
            CellToTrace(
                self.source, self.cell_id, self.line, self.in_view, self.specs, self.last_level, self.is_asked_for
            ),
            names,
            lambda name: _observed(name, names, context.runs),
            cells.known_cells(),
            last_run=lambda name: _last_run(name, context.runs),
        )
        if live.state == "traced":
            context.runs.written = live.snapshot
        return live


def _last_run(name: str | None, runs: Runs) -> tuple[Snapshot, Sources, int] | None:
    """Return the newest run with a program of a function of this name."""
    for run in runs.newest_first():
        for index, program in enumerate(run.document.programs):
            if program.name == name and not program.library:
                return run.document, run.sources, index
    return None


def _observed(name: str, names: Mapping[str, Any], runs: Runs) -> Iterator[Sequence[ArgumentSpec]]:
    """Yield the arguments of the observed calls of functions of a name, the newest first."""
    yield from observed_calls(names.get(name))
    for run in runs.newest_first():
        for index in reversed(range(len(run.document.programs))):
            if run.document.programs[index].name == name:
                yield run.sources.observed(index).arguments
