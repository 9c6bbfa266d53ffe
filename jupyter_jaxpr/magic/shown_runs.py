"""Builds the document of a run, sends it to the panel, displays the output below the cell, and keeps the last runs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..build.versions_and_devices import environment
from ..document.types.document import Cell
from ..typed import observed_cell as cells
from ..wire.connection_to_panel import CALL_NOT_TRACED
from ..wire.kept_runs import cell_key
from . import magic_line_options, trace_of_last_call
from .cell_states import ActiveCell, RunResult, Shown
from .kept_outputs import KeptOutputs
from .widget_or_static_output import shows_widget

if TYPE_CHECKING:
    from ..build.document_of_run import Built
    from ..document.types.document import Snapshot as Document
    from .cell_observer import CellObserver

_SHOWN_RUNS = 8


class ShownRuns:
    """The runs that one shell has shown.

    Attributes:
        by_number: number of a cell -> its last run under %%jaxpr, oldest first, for `jupyter_jaxpr.last`.
    """

    def __init__(self, cell_observer: CellObserver, guard: Callable[[str], AbstractContextManager[None]]) -> None:
        self._cell_observer = cell_observer
        self._guard = guard
        self._observer = cell_observer.observer
        self._publisher = cell_observer.publisher
        self._outputs = KeptOutputs(cell_observer.shell)
        self._widgets: dict[str, Any] = {}  # `cell_key` of a document -> the widget below the cell
        self.by_number: OrderedDict[int, Shown] = OrderedDict()

    def forget(self) -> None:
        """Forget the runs and their outputs."""
        self.by_number.clear()
        self._outputs.forget()
        self._widgets.clear()

    def publish(self, run: RunResult, error: BaseException | None = None) -> Built:
        """Build the document of a run and the parts that its options request.

        Send the document and display the output.
        """
        from ..build.times.sweep_of_sizes import sweep_document
        from ..scripts import display

        parsed = run.options
        built = self._built(run)
        if run.comparison is not None:
            compared = built.sources.comparison(run.comparison, run.sweep)
            built = replace(built, document=built.sources.merge("comparison", compared))
        if run.sweep is not None:
            built = replace(built, document=built.sources.merge("sweep", sweep_document(run.sweep)))
        try:
            if parsed.steps:
                with self._guard("jupyter_jaxpr could not run the steps."):
                    built = replace(built, document=self._with_steps(built))
            if parsed.time:
                with self._guard("jupyter_jaxpr could not time the program."):
                    built = replace(built, document=self._with_time(built))
            if parsed.transform:
                with self._guard("jupyter_jaxpr could not transform the program."):
                    built = replace(built, document=self._with_transforms(built, parsed))
        finally:
            if parsed.keeps_values:
                built.sources.let_go_of_values()
        # The sources have the document with all finished parts, also if a measurement failed or was interrupted.
        built = replace(built, document=built.sources.document)
        self._publisher.publish(replace(built, retrace=self._retrace(run)))
        magics = self._cell_observer.magics
        # For a cell that raised, an output is displayed only if there is a card of the error; the saved notebook then
        # contains it.
        has_card = any(note.kind in ("trace_raised", "raised") for note in built.document.notes)
        if magics is not None and (built.document.programs or error is None or has_card):
            is_widget = magics.output and self._shown_as_widget(built, magics.widget, magics.output_bytes)
            if not is_widget:
                display.show(built.document, limit_bytes=magics.output_bytes, enabled=magics.output)
            with self._guard("jupyter_jaxpr could not shorten an earlier output that IPython keeps."):
                self._outputs.note_output()
        return built

    def _shown_as_widget(self, built: Built, choice: str, limit_bytes: int) -> bool:
        """Display the run as a widget if the host shows widgets and has no panel; return whether this was done."""
        if not shows_widget(choice, self._publisher.has_panel):
            return False
        is_shown = False
        with self._guard("jupyter_jaxpr could not show the widget."):
            from .. import widgets

            cell = cell_key(built.document)
            # The widget of the cell's earlier run is closed, because the cell's new run has removed its output.
            self._widgets[cell] = widgets.show(built, limit_bytes, closes=self._widgets.pop(cell, None))
            is_shown = True
        return is_shown

    def _built(self, run: RunResult) -> Built:
        from ..build.document_of_run import build

        magics = self._cell_observer.magics
        return build(
            run.observation,
            None if run.cell is None else _document_cell(run.cell),
            environment=environment(self._observer.hooks.support),
            run_id=run.run_id,
            title=run.options.title,
            pinned=run.options.pin,
            message=run.message,
            cells=self._cell_observer.known_cells(run.cell),
            silenced={*run.options.ignore, *(magics.ignore if magics is not None else ())},
            saves_values=self._cell_observer.saves_values,
        )

    def _retrace(self, run: RunResult) -> Callable[[], None] | None:
        """Return a function that traces the cell's last call when the user asks for it; None if there is no offer."""
        if run.observation.retrace is None:
            return None

        def retrace() -> None:
            with self._guard(CALL_NOT_TRACED):
                message = trace_of_last_call.trace_again(self._observer, run.observation, run.options.keeps_values)
                built = self._built(replace(run, message=message))
                self._publisher.publish(replace(built, retrace=self._retrace(run)))
                number = None if run.cell is None else run.cell.execution_count
                if number is not None and number in self.by_number:
                    self.by_number[number] = replace(self.by_number[number], built=built)

        return retrace

    def _with_steps(self, built: Built) -> Document:
        from ..build.steps.recording_of_steps import record_focus

        with self._observer.looking_away():
            return record_focus(built.sources)

    def _with_time(self, built: Built) -> Document:
        from ..build.times.timing_after_cell import time_focus

        return time_focus(built.sources)

    def _with_transforms(self, built: Built, chosen: magic_line_options.Options) -> Document:
        from ..build.programs.derived_programs import transform_focus

        return transform_focus(self._observer, built.sources, chosen.transform)

    def show(self, active: ActiveCell, built: Built) -> None:
        """Build and show the run of a cell, and keep it for `jupyter_jaxpr.last`."""
        number = active.cell.execution_count
        if number is None:
            return
        self.by_number.pop(number, None)
        self.by_number[number] = Shown(built, active.run.ledger)
        while len(self.by_number) > _SHOWN_RUNS:
            self.by_number.popitem(last=False)


def _document_cell(cell: cells.RunningCell) -> Cell:
    return Cell(id=cell.id, execution_count=cell.execution_count, file=cell.file, source=cell.source)
