"""Starts and ends the observation of each cell in a shell, and implements the magics.

IPython runs the cell (see `jupyter_jaxpr.typed.observed_cell`); its events report the start and the end of a cell.
Errors of this package never reach the user's cell (`reports_of_own_failures`); `shown_runs` builds, sends and displays
the document of the run.
"""

from __future__ import annotations

import threading
import uuid
import weakref
from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from ..explain.notes.leaked_tracers import reach_before
from ..interruptions import not_of_a_signal
from ..jax.facts import is_jitted
from ..observe.cell_run import Run
from ..observe.observation import Observation
from ..observe.outside_jit.recorded_calls import RecordedCalls
from ..observe.outside_jit.recorded_cell import RecordedCell
from ..observe.outside_jit.sentences_on_recordings import EAGER_TAKES
from ..observe.process_observer import observer
from ..typed import observed_cell as cells
from ..typed.magics_below_jaxpr import NESTED_FILES, nested_magic
from ..wire import connection_to_panel
from . import (
    comparison_of_named_functions,
    magic_line_options,
    sweep_of_named_values,
    target_trace,
    work_after_the_cell,
)
from .cell_rewriter import CellRewriter, transformed_cell
from .cell_states import ActiveCell, RunResult
from .cells_that_ran import REMEMBERED_CELLS, WhatRuns
from .host_copies import HostCopies
from .magics_and_settings import JaxprMagics
from .nested_cells import is_within_a_cell, lines_above, run_body
from .progress_of_long_cells import Heartbeat
from .reports_of_own_failures import OwnFailures
from .shown_runs import ShownRuns

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from ..program.source.positions import CellText

_CELL_NOT_OBSERVED = "jupyter_jaxpr could not observe the cell."
_OBSERVATION_NOT_ENDED = "jupyter_jaxpr could not end the observation of a cell."

_cell_observers: weakref.WeakKeyDictionary[Any, CellObserver] = weakref.WeakKeyDictionary()


class CellObserver:
    """Observes the cells of one IPython shell, shows their runs, and implements the magics."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.observer = observer()
        self.publisher = connection_to_panel.publisher(shell)
        self.magics: JaxprMagics | None = None
        self._names = object()  # stands for the shell's global names in the history of misses
        self._active: dict[int, ActiveCell] = {}
        self._ending: dict[int, ActiveCell] = {}  # thread id -> the cell that has ended and whose run is being shown
        self._guard = OwnFailures(self.publisher).guard
        self.runs = ShownRuns(self, self._guard)
        self.host_copies = HostCopies(self.observer, self._guard)
        # thread id -> how deeply cells are nested: the number of cells that have begun and not ended
        self._depth: dict[int, int] = {}
        self._running: dict[int, cells.RunningCell] = {}  # Thread id -> the outermost running cell.
        self._cells: OrderedDict[str, cells.RunningCell] = OrderedDict()  # `co_filename` of a cell's code -> the cell.

    @staticmethod
    def of(shell: InteractiveShell) -> CellObserver:
        """Return the cell observer of a shell; the first call makes it."""
        if shell not in _cell_observers:
            _cell_observers[shell] = CellObserver(shell)
        return _cell_observers[shell]

    @staticmethod
    def newest() -> CellObserver | None:
        """Return the cell observer that last showed a cell; None if no cell observer has."""
        observers = [one for one in list(_cell_observers.values()) if one.runs.by_number]
        return max(
            observers,
            key=lambda one: next(reversed(one.runs.by_number.values())).built.document.created,
            default=None,
        )

    @staticmethod
    def all_save_values() -> bool:
        """Return whether no cell observer has switched off the saving of values."""
        return all(one.saves_values for one in list(_cell_observers.values()))

    def load(self) -> None:
        """Register the magics, transformers and events; install the hooks in JAX as soon as it is imported."""
        if self.magics is not None:
            return
        self.magics = JaxprMagics(self)
        self.shell.register_magics(self.magics)
        # The transformer comes first: after it, IPython removes leading blank lines, which would change the line
        # numbers.
        self.shell.input_transformer_manager.cleanup_transforms.insert(0, self._transform)
        for event, function in self._events():
            self.shell.events.register(event, function)
        with self._guard("jupyter_jaxpr could not install its hooks in JAX."):
            self.observer.hooks.ensure()
        self.observer.shows_programs = True
        self.publisher.kernel.cells = WhatRuns(
            self.shell, self.observer.hooks, self._cells, self._running, self._active
        )
        self.publisher.open()

    def unload(self) -> None:
        """Undo `load`; a running cell goes on without observation."""
        if self.magics is None:
            return
        for thread in list(self._active):
            active = self._active.pop(thread)
            with self._guard(_OBSERVATION_NOT_ENDED):
                self._stop(active)
            active.heartbeat.stop()
            active.forget()
        self._depth.clear()
        self._running.clear()
        self.runs.forget()
        self.host_copies.drop()
        with self._guard("jupyter_jaxpr could not end the observation of a block."):
            self.observer.end_all()
        transforms = self.shell.input_transformer_manager.cleanup_transforms
        if self._transform in transforms:
            transforms.remove(self._transform)
        for event, function in self._events():
            if function in self.shell.events.callbacks[event]:
                self.shell.events.unregister(event, function)
        for kind in ("cell", "line"):
            self.shell.magics_manager.magics[kind].pop("jaxpr", None)
        self.shell.magics_manager.registry.pop(JaxprMagics.__name__, None)
        configurables: list[Any] = self.shell.configurables
        if self.magics in configurables:
            configurables.remove(self.magics)
        self.magics = None
        self.observer.shows_programs = False
        with self._guard("jupyter_jaxpr could not remove its hooks from JAX."):
            self.observer.hooks.remove()
        self.publisher.close()

    def _events(self) -> tuple[tuple[str, Callable[..., None]], ...]:
        return (
            ("pre_execute", self._enter),
            ("pre_run_cell", self._before),
            ("post_execute", self._exit),
            ("post_run_cell", self._after),
        )

    # --- the handlers of IPython's events ---

    def _transform(self, lines: list[str]) -> list[str]:
        """Turn the magic's line of a cell into a comment, if the cell will be observed.

        IPython calls this method as an input transformer.
        """
        text = "".join(lines)
        line = cells.magic_line(text)
        # Inside of a running cell (`%%time` above `%%jaxpr`), IPython reports no start of a cell, so the line stays and
        # IPython runs the magic `%%jaxpr` itself.
        if line is None or self._depth.get(threading.get_ident(), 0):
            return lines
        if self._parse(line) is None:
            # If the cell has no body, a comment is added; otherwise IPython would report the missing body rather than a
            # mistake in the line.
            return lines if cells.has_body(text) else [*lines[:-1], lines[-1].rstrip("\n") + "\n", "#\n"]
        return cells.without_magic(lines)

    def _parse(self, line: str) -> magic_line_options.Options | None:
        """Return the options in a magic's line.

        None if it has a mistake, for which the cell magic will raise an error.
        """
        assert self.magics is not None
        try:
            return magic_line_options.parse(self.magics.parser, line)
        except UsageError:
            return None

    def _enter(self) -> None:
        thread = threading.get_ident()
        depth = self._depth.get(thread, 0)
        if depth and not is_within_a_cell():
            depth = 0  # an earlier cell was interrupted before its end was recorded, so its depth is dropped
        self._depth[thread] = depth + 1

    def _exit(self) -> None:
        thread = threading.get_ident()
        depth = self._depth.pop(thread, 0)
        if depth > 1:
            self._depth[thread] = depth - 1
        else:
            self._running.pop(thread, None)

    def _before(self, info: Any) -> None:
        """Start the observation of a cell; called by IPython before the cell runs."""
        with self._guard(_CELL_NOT_OBSERVED):
            thread = threading.get_ident()
            self.observer.hooks.ensure()
            cell = self._running_cell(info)
            outermost = self._depth.get(thread, 0) == 1
            if outermost:
                with self._guard(_OBSERVATION_NOT_ENDED):
                    self._end_what_was_left(thread)
                self._running[thread] = cell
                # Plain IPython has no cell ids; there the source identifies the cell.
                cell_id = cell.id or cell.source
                self.observer.history.executed(cell.file, cell_id, cell.execution_count, self._names)
            # A cell that runs inside of %%capture counts as part of the outer cell.
            self._remember(cell.file, cell if outermost else self._running.get(thread, cell))
            line = cells.magic_line(info.raw_cell)
            if line is None or not outermost:
                return
            parsed = self._parse(line)
            if parsed is not None:
                self._begin(parsed, info, cell)

    def _after(self, result: Any) -> None:
        """End the observation of a cell; called by IPython after the cell has run."""
        thread = threading.get_ident()
        active = self._active.get(thread)
        if active is None:
            with self._guard("jupyter_jaxpr could not clean up after an interrupted call."):
                self.observer.let_go()
        if active is None or not _is_result_of(result, active.info):
            return
        self._end(thread, active, result)

    def _end(self, thread: int, active: ActiveCell, result: Any) -> None:
        """Show the run of a cell; remove all hooks of the run, even after an error or an interrupt."""
        self._ending[thread] = active
        self._active.pop(thread, None)
        is_shown = False
        with self._guard("jupyter_jaxpr could not show the run."):
            self._finish(active, result)
            is_shown = True
        if not is_shown:
            with self._guard("jupyter_jaxpr could not end the observation of the cell."):
                self._end_what_was_left(thread)
        self._ending.pop(thread, None)

    def _end_what_was_left(self, thread: int) -> None:
        """Remove the observation of an interrupted cell from this thread; may be called twice."""
        for active in filter(None, (self._active.get(thread), self._ending.get(thread))):
            try:
                self._stop(active)
            finally:
                active.forget()
                active.heartbeat.stop()
        run = self.observer.running()
        if run is not None and run.in_cell:
            self.observer.end(run)
        self._active.pop(thread, None)
        self._ending.pop(thread, None)
        self.observer.let_go()

    # --- one cell ---

    def _remember(self, file: str, cell: cells.RunningCell) -> None:
        self._cells[file] = cell
        if len(self._cells) > REMEMBERED_CELLS:
            self._cells.popitem(last=False)

    def _begin(self, chosen: magic_line_options.Options, info: Any, cell: cells.RunningCell) -> ActiveCell:
        self.host_copies.drop()
        run = self.observer.begin(cell.file, chosen.keeps_values, chosen.per_entry)
        run.look_before = reach_before
        run.reads_names = self.magics is None or bool(self.magics.types)
        run_id = uuid.uuid4().hex
        warning = EAGER_TAKES if chosen.eager else None
        heartbeat = Heartbeat(self.observer, run, self.publisher, run_id, cell.id, warning)
        recorded_cell = RecordedCell(self.observer.hooks, run.fail, covers_cell=chosen.eager)
        recorded = RecordedCalls(self.observer.hooks, run.fail, recorded_cell, run.functions)
        active = ActiveCell(chosen, cell, info, run, run_id, heartbeat, recorded, recorded_cell)
        # If an interrupt comes from here on, `_end_what_was_left` ends the observation of the cell.
        self._active[threading.get_ident()] = active
        heartbeat.start()
        run.when_installed = recorded_cell.start
        recorded_cell.start()
        active.rewriter = CellRewriter(active, self.shell)
        self.shell.ast_transformers.append(active.rewriter)
        return active

    def _running_cell(self, info: Any) -> cells.RunningCell:
        count = self.shell.execution_count - bool(info.store_history)
        file = self.shell.compile.get_code_name(info.raw_cell, transformed_cell(self.shell, info), count)
        return cells.RunningCell(getattr(info, "cell_id", None), count, file, info.raw_cell)

    def _stop(self, active: ActiveCell) -> Observation:
        """End the observation of a cell, and remove every part that was installed for it, even after an error."""
        try:
            with ExitStack() as stack:  # both callbacks run, even if one of them raises
                stack.callback(active.recorded_cell.stop)
                stack.callback(active.recorded.stop)
        except not_of_a_signal(Exception) as error:
            active.run.fail(error)
        try:
            return self.observer.end(active.run)
        finally:
            if active.rewriter in self.shell.ast_transformers:
                self.shell.ast_transformers.remove(active.rewriter)

    def _finish(self, active: ActiveCell, result: Any) -> None:
        last = active.last
        if last.returned and last.is_known and is_jitted(last.function):
            with self._guard("jupyter_jaxpr could not record the values of the last call."):
                self.observer.note_values(last.function, last.args, last.kwargs, keep=active.options.keeps_values)
        error = getattr(result, "error_in_exec", None) or getattr(result, "error_before_exec", None)
        # The ledger counts the entries of living functions, so `last` must not keep alive a function that the cell has
        # dropped, such as that of `jax.jit(f)(x)`. JAX's caches hold functions weakly.
        is_released = last.returned and is_jitted(last.function) and not active.options.compare
        called = weakref.ref(last.function) if is_released else None
        if called is not None:
            last.function = None
        try:
            observation = self._stop(active)
            if called is not None:
                last.function = called()
                last.returned = last.function is not None
            message = work_after_the_cell.complete(
                self.observer, self.shell.user_ns, active, observation, error, self._traces()
            )
            # The copies must be made before the arguments of the last call are released.
            if self.magics is not None and self.magics.host_copies:
                self.host_copies.copy(observation)
        finally:
            active.forget()
            active.heartbeat.stop()
        run = RunResult(
            active.options, active.cell, observation, active.run_id, message, active.comparison, active.sweep
        )
        built = self.runs.publish(run, error)
        self.runs.show(active, built)
        if active.sweep is not None and active.sweep.interrupted:
            self._interrupted(result)

    def _interrupted(self, result: Any) -> None:
        """Mark a cell as interrupted if the interrupt came after its code, during a measurement by this package."""
        if getattr(result, "error_in_exec", None) is None:
            result.error_in_exec = KeyboardInterrupt()
            self.shell.showtraceback((KeyboardInterrupt, result.error_in_exec, None))

    @property
    def saves_values(self) -> bool:
        """True if saved outputs and exports may contain the user's values."""
        return self.publisher.kernel.page_saves_values and (self.magics is None or bool(self.magics.values))

    def _traces(self) -> bool:
        return self.magics is not None and bool(self.magics.auto_trace)

    # --- the magics ---

    def trace_target(self, chosen: magic_line_options.Options) -> None:
        """Implement `%jaxpr f(x)`: trace the call, or run its comparison or sweep."""
        observation = Observation()
        interrupted = False
        with self._guard(connection_to_panel.CALL_NOT_TRACED):
            cell = self._running.get(threading.get_ident())
            run_id = uuid.uuid4().hex
            heartbeat = Heartbeat(self.observer, Run(), self.publisher, run_id, cell.id if cell else None).start()
            comparison = sweep = None
            try:
                if chosen.compare:
                    comparison, message = comparison_of_named_functions.compare_named(
                        self.observer, self.shell.user_ns, chosen, observation, "%jaxpr"
                    )
                    if chosen.sweep is not None and comparison is not None and comparison.stopped is None:
                        sweep, message = sweep_of_named_values.sweep_named(
                            self.observer, self.shell.user_ns, chosen, observation, heartbeat.say, None
                        )
                elif chosen.sweep is not None:
                    sweep, message = target_trace.sweep_target(
                        self.observer, self.shell.user_ns, chosen, observation, "%jaxpr", heartbeat.say
                    )
                else:
                    message = target_trace.trace_target(
                        self.observer, self.shell.user_ns, chosen, observation, "%jaxpr"
                    )
            finally:
                heartbeat.stop()
            self.runs.publish(RunResult(chosen, cell, observation, run_id, message, comparison, sweep))
            interrupted = sweep is not None and sweep.interrupted
        if interrupted:
            raise KeyboardInterrupt

    def known_cells(self, cell: cells.RunningCell | None) -> dict[str, CellText]:
        """Return {`co_filename` of a cell's code: the cell} for the cells that ran and for `cell`, which runs now."""
        texts: dict[str, CellText] = dict(self._cells)
        if cell is not None and nested_magic(cell.source):
            texts.update((file, cell) for file in NESTED_FILES)
        return texts

    def run_nested(self, chosen: magic_line_options.Options, source: str) -> Any:
        """Run a cell for which IPython reports no start: below `%%time`, or given to `run_cell_magic`."""
        __tracebackhide__ = True
        thread = threading.get_ident()
        above = lines_above(self._running.get(thread), source)
        if thread in self._active:  # this code is part of a cell that is already observed
            return run_body(self.shell, source, above)[1]()
        active = None
        error: BaseException | None = None
        try:
            file, run = run_body(self.shell, source, above)
            with self._guard(_CELL_NOT_OBSERVED):
                outer = self._running.get(thread)
                cell = cells.RunningCell(
                    outer.id if outer else None,
                    outer.execution_count if outer else None,
                    file,
                    outer.source if outer else source,
                )
                active = self._begin(chosen, None, cell)
            return run()
        except BaseException as raised:
            error = raised
            raise
        finally:
            begun = self._active.get(thread)
            # The condition is false if the extension was unloaded during the cell.
            if begun is not None and active in (None, begun):
                self._end(thread, begun, _NestedResult(error))


@dataclass
class _NestedResult:
    error_in_exec: BaseException | None


def _is_result_of(result: Any, info: Any) -> bool:
    """Return whether a result belongs to a cell.

    If the cell ends with an exception, IPython makes a new info object, so the objects cannot be compared.
    """
    if result is None:
        return True
    result_info = getattr(result, "info", None)
    return result_info is info or getattr(result_info, "raw_cell", None) == info.raw_cell
