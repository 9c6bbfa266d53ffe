"""One a shell: the observation of a cell begun and ended, what came of it built, sent and shown.

IPython runs the cell (see `jupyter_jaxpr.typed.cell`); its events say when one begins and ends. Every step of ours is
guarded: a failure of ours is a message in the panel and a line on stderr, never an exception in the user's cell.
"""

from __future__ import annotations

import ast
import sys
import threading
import traceback
import uuid
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from ..build.environment import environment
from ..document.types.document import Cell
from ..explain.leaks import reach_before
from ..interruptions import is_of_a_signal, not_of_a_signal
from ..jax.facts import is_jitted
from ..observe.observation import Observation
from ..observe.process_observer import observer
from ..observe.recorded_calls import RecordedCalls
from ..observe.recorded_cell import EAGER_TAKES, RecordedCell
from ..observe.run import Run
from ..observe.unseen_warnings import unseen_warnings
from ..typed import cell as cells
from ..wire import comm
from ..wire.runs import cell_key
from . import compare_option, last_call, options, outcome, sweep_option, target_trace
from .active import Active, RunResult, Shown
from .heartbeat import Heartbeat
from .kept_outputs import KeptOutputs
from .magics import JaxprMagics
from .what_runs import WhatRuns
from .widget_host import shows_widget

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from ..build.build import Built
    from ..document.types.document import Snapshot as Document
    from ..observe.calls.call_values import CallValues
    from ..program.source.positions import CellText

_REMEMBERED_CELLS = 1_000
_SHOWN_RUNS = 8
_OWN_DEPTH = 1_000
_COPIED_OF_A_CALL, _COPIED_IN_ALL = 8_000_000, 64_000_000  # bytes of arguments that are copied to the host
_RUNS_A_CELL = "run_cell_async"  # the method of an IPython shell that runs a cell
_INTERRUPTED = "jupyter_jaxpr was interrupted, so the panel does not show this cell."

_sessions: weakref.WeakKeyDictionary[Any, Session] = weakref.WeakKeyDictionary()


class Session:
    """The work of the extension in one shell."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.observer = observer()
        self.publisher = comm.publisher(shell)
        self.magics: JaxprMagics | None = None
        self._active: dict[int, Active] = {}
        self._ending: dict[int, Active] = {}  # the cells that have run and whose run is being shown, by thread
        # The last cells under %%jaxpr by number, oldest first, for `jupyter_jaxpr.last`.
        self.shown: OrderedDict[int, Shown] = OrderedDict()
        self._outputs = KeptOutputs(shell)
        self._widgets: dict[str, Any] = {}  # the widget below each cell; a host takes a cell's output away by itself
        self._copies: list[CallValues] = []  # the values of the last run that hold copies on the host
        self._depth: dict[int, int] = {}  # the depth of nested cells, by thread
        self._running: dict[int, cells.RunningCell] = {}  # the outermost cell, by thread
        self._cells: OrderedDict[str, cells.RunningCell] = OrderedDict()  # the cells by the file name of their code

    @staticmethod
    def of(shell: InteractiveShell) -> Session:
        """Return the session of a shell, which is made at the first request."""
        if shell not in _sessions:
            _sessions[shell] = Session(shell)
        return _sessions[shell]

    @staticmethod
    def newest() -> Session | None:
        """Return the session that showed a cell last; None before any."""
        shown = [session for session in list(_sessions.values()) if session.shown]
        return max(
            shown, key=lambda session: next(reversed(session.shown.values())).built.document.created, default=None
        )

    @staticmethod
    def all_save_values() -> bool:
        """Return whether every session saves values."""
        return all(session.saves_values for session in list(_sessions.values()))

    def load(self) -> None:
        """Register magics, transformer and events, and install the hooks in JAX once it is imported."""
        if self.magics is not None:
            return
        self.magics = JaxprMagics(self)
        self.shell.register_magics(self.magics)
        # This runs before IPython removes leading blank lines, so that lines keep their numbers.
        self.shell.input_transformer_manager.cleanup_transforms.insert(0, self._transform)
        for event, function in self._events():
            self.shell.events.register(event, function)
        with self._guard("jupyter_jaxpr could not hook JAX."):
            self.observer.hooks.ensure()
        self.observer.shows_programs = True
        self.publisher.kernel.cells = WhatRuns(
            self.shell, self.observer.hooks, self._cells, self._running, self._active
        )
        self.publisher.open()

    def unload(self) -> None:
        """Restore shell and JAX; a running cell continues without observation."""
        if self.magics is None:
            return
        for thread in list(self._active):
            active = self._active.pop(thread)
            with self._guard("jupyter_jaxpr could not end the observation of a cell."):
                self._stop(active)
            active.heartbeat.stop()
            active.forget()
        self._depth.clear()
        self._running.clear()
        self.shown.clear()
        self._outputs.forget()
        self._widgets.clear()
        self._drop_copies()
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

    # --- IPython's events ---

    def _transform(self, lines: list[str]) -> list[str]:
        """Remove the magic's line from a cell that will be observed; an input transformer of IPython."""
        text = "".join(lines)
        line = cells.magic_line(text)
        # Inside of a running cell (%%time above %%jaxpr) no event follows: the cell magic stays.
        if line is None or self._depth.get(threading.get_ident(), 0):
            return lines
        if self._parse(line) is None:
            # For a magic without a body, IPython reports the missing body and not the mistake in the line.
            return lines if cells.has_body(text) else [*lines[:-1], lines[-1].rstrip("\n") + "\n", "#\n"]
        return cells.without_magic(lines)

    def _parse(self, line: str) -> options.Options | None:
        """Return the options of a line; None for a line with a mistake, which the cell magic then raises."""
        assert self.magics is not None
        try:
            return options.parse(self.magics.parser, line)
        except UsageError:
            return None

    def _enter(self) -> None:
        thread = threading.get_ident()
        depth = self._depth.get(thread, 0)
        if depth and not _is_within_a_cell():
            depth = 0  # an interrupt came before the end of an earlier cell was recorded
        self._depth[thread] = depth + 1

    def _exit(self) -> None:
        thread = threading.get_ident()
        depth = self._depth.pop(thread, 0)
        if depth > 1:
            self._depth[thread] = depth - 1
        else:
            self._running.pop(thread, None)

    def _before(self, info: Any) -> None:
        """Start the observation before a cell runs; an event of IPython."""
        with self._guard("jupyter_jaxpr could not observe the cell."):
            thread = threading.get_ident()
            self.observer.hooks.ensure()
            cell = self._running_cell(info)
            outermost = self._depth.get(thread, 0) == 1
            if outermost:
                with self._guard("jupyter_jaxpr could not end the observation of a cell."):
                    self._end_what_was_left(thread)
                self._running[thread] = cell
                # Without a cell id (plain IPython) the text identifies the cell.
                self.observer.history.executed(cell.file, cell.id or cell.source, cell.execution_count)
            # A cell inside of %%capture counts as a part of the outer cell.
            self._remember(cell.file, cell if outermost else self._running.get(thread, cell))
            line = cells.magic_line(info.raw_cell)
            if line is None or not outermost:
                return
            parsed = self._parse(line)
            if parsed is not None:
                self._begin(parsed, info, cell)

    def _after(self, result: Any) -> None:
        """End the observation after a cell has run; an event of IPython."""
        thread = threading.get_ident()
        active = self._active.get(thread)
        if active is None:
            with self._guard("jupyter_jaxpr could not release an interrupted call."):
                self.observer.let_go()
        if active is None or not _is_result_of(result, active.info):
            return
        self._end(thread, active, result)

    def _end(self, thread: int, active: Active, result: Any) -> None:
        """Show the run of a cell, and remove every hook of the run even after an error or an interrupt."""
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
        """Remove what an interrupt left of an earlier cell of this thread; may run twice."""
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
        if len(self._cells) > _REMEMBERED_CELLS:
            self._cells.popitem(last=False)

    def _copy_arguments(self, observation: Observation) -> None:
        """Copy the arguments of each program's last call to the host, the last program first."""
        left = _COPIED_IN_ALL
        with self._guard("jupyter_jaxpr could not copy the arguments."), self.observer.looking_away():
            for function in reversed(observation.functions):
                for program in reversed(function.programs):
                    if program.values is None:
                        continue
                    size = program.values.copy_to_host(min(left, _COPIED_OF_A_CALL))
                    if size > 0:
                        left -= size
                        self._copies.append(program.values)

    def _drop_copies(self) -> None:
        """Free the copies of arguments of the run before."""
        for values in self._copies:
            values.drop_copies()
        self._copies = []

    def _begin(self, found: options.Options, info: Any, cell: cells.RunningCell) -> Active:
        self._drop_copies()
        run = self.observer.begin(cell.file, found.keeps_values, found.per_entry)
        run.look_before = reach_before
        run.reads_names = self.magics is None or bool(self.magics.types)
        run_id = uuid.uuid4().hex
        warning = EAGER_TAKES if found.eager else None
        heartbeat = Heartbeat(self.observer, run, self.publisher, run_id, cell.id, warning)
        recorded_cell = RecordedCell(self.observer.hooks, run.fail, whole=found.eager)
        recorded = RecordedCalls(self.observer.hooks, run.fail, recorded_cell)
        active = Active(found, cell, info, run, run_id, heartbeat, recorded, recorded_cell)
        # From here on the next cell can remove everything that an interrupt leaves.
        self._active[threading.get_ident()] = active
        heartbeat.start()
        run.when_installed = recorded_cell.start
        recorded_cell.start()
        active.rewriter = _Rewriter(active)
        self.shell.ast_transformers.append(active.rewriter)
        return active

    def _running_cell(self, info: Any) -> cells.RunningCell:
        count = self.shell.execution_count - bool(info.store_history)
        transformed = getattr(info, "transformed_cell", None) or self.shell.transform_cell(info.raw_cell)
        file = self.shell.compile.get_code_name(info.raw_cell, transformed, count)
        return cells.RunningCell(getattr(info, "cell_id", None), count, file, info.raw_cell)

    def _stop(self, active: Active) -> Observation:
        """End the observation, and remove every part that it installed even after an error."""
        try:
            with ExitStack() as stack:  # the callbacks run in reverse order, each even if another one fails
                stack.callback(active.recorded_cell.stop)
                stack.callback(active.recorded.stop)
        except not_of_a_signal(Exception) as error:
            active.run.fail(error)
        try:
            return self.observer.end(active.run)
        finally:
            if active.rewriter in self.shell.ast_transformers:
                self.shell.ast_transformers.remove(active.rewriter)

    def _finish(self, active: Active, result: Any) -> None:
        last = active.last
        if last.returned and last.is_known and is_jitted(last.function):
            with self._guard("jupyter_jaxpr could not record the values of the last call."):
                self.observer.note_values(last.function, last.args, last.kwargs, keep=active.options.keeps_values)
        error = getattr(result, "error_in_exec", None) or getattr(result, "error_before_exec", None)
        try:
            observation = self._stop(active)
            message = outcome.complete(self.observer, self.shell.user_ns, active, observation, error, self._traces())
            # Before the arguments of the last call are let go of.
            if self.magics is not None and self.magics.host_copies:
                self._copy_arguments(observation)
        finally:
            active.forget()
            active.heartbeat.stop()
        run = RunResult(
            active.options, active.cell, observation, active.run_id, message, active.comparison, active.sweep
        )
        built = self._publish(run, error)
        self._show(active, built)
        if active.sweep is not None and active.sweep.interrupted:
            self._interrupted(result)

    def _show(self, active: Active, built: Built) -> None:
        """Store the run of a cell for `jupyter_jaxpr.last`."""
        number = active.cell.execution_count
        if number is None:
            return
        self.shown.pop(number, None)
        self.shown[number] = Shown(built, active.run.ledger)
        while len(self.shown) > _SHOWN_RUNS:
            self.shown.popitem(last=False)

    def _interrupted(self, result: Any) -> None:
        """End a cell as interrupted, although the interrupt came during a measurement of this package."""
        if getattr(result, "error_in_exec", None) is None:
            result.error_in_exec = KeyboardInterrupt()
            self.shell.showtraceback((KeyboardInterrupt, result.error_in_exec, None))

    @property
    def saves_values(self) -> bool:
        """Whether saved outputs and exports may contain values of the user's."""
        return self.magics is None or bool(self.magics.values)

    def _traces(self) -> bool:
        return self.magics is not None and bool(self.magics.auto_trace)

    def _publish(self, run: RunResult, error: BaseException | None = None) -> Built:
        from ..build.sweep import sweep_document
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
        # The document contains the finished parts even where a measurement failed or was interrupted.
        built = replace(built, document=built.sources.document)
        self.publisher.publish(replace(built, retrace=self._retrace(run)))
        magics = self.magics
        # A raised cell gets an output if there is a card of the error, so that a saved notebook contains the card.
        has_card = any(note.kind in ("trace_raised", "raised") for note in built.document.notes)
        if magics is not None and (built.document.programs or error is None or has_card):
            if not (magics.output and self._shown_as_widget(built, magics)):
                display.show(built.document, limit_bytes=magics.output_bytes, enabled=magics.output)
            with self._guard("jupyter_jaxpr could not shorten an earlier output that IPython keeps."):
                self._outputs.shown()
        return built

    def _shown_as_widget(self, built: Built, magics: JaxprMagics) -> bool:
        """Display the run as a widget, where the host shows widgets and has no panel; return whether it did."""
        if not shows_widget(magics.widget, self.publisher.has_panel):
            return False
        is_shown = False
        with self._guard("jupyter_jaxpr could not show the widget."):
            from .. import widgets

            cell = cell_key(built.document)
            self._widgets[cell] = widgets.show(built, magics.output_bytes, closes=self._widgets.pop(cell, None))
            is_shown = True
        return is_shown

    def _built(self, run: RunResult) -> Built:
        from ..build.build import build

        return build(
            run.observation,
            None if run.cell is None else _document_cell(run.cell),
            environment=environment(self.observer.hooks.support),
            run_id=run.run_id,
            title=run.options.title,
            pinned=run.options.pin,
            message=run.message,
            cells=self._known_cells(run.cell),
            silenced={*run.options.ignore, *(self.magics.ignore if self.magics is not None else ())},
            saves_values=self.saves_values,
        )

    def _retrace(self, run: RunResult) -> Callable[[], None] | None:
        """Return a function that traces the cell's last call at the user's request; None without an offer."""
        if run.observation.retrace is None:
            return None

        def retrace() -> None:
            with self._guard("jupyter_jaxpr could not trace the call."):
                message = last_call.trace_again(self.observer, run.observation, run.options.keeps_values)
                built = self._built(replace(run, message=message))
                self.publisher.publish(replace(built, retrace=self._retrace(run)))
                number = None if run.cell is None else run.cell.execution_count
                if number is not None and number in self.shown:
                    self.shown[number] = replace(self.shown[number], built=built)

        return retrace

    def _with_steps(self, built: Built) -> Document:
        from ..build.steps import record_focus

        with self.observer.looking_away():
            return record_focus(built.sources)

    def _with_time(self, built: Built) -> Document:
        from ..build.timing import time_focus

        return time_focus(built.sources)

    def _with_transforms(self, built: Built, found: options.Options) -> Document:
        from ..build.transform import transform_focus

        return transform_focus(self.observer, built.sources, found.transform)

    # --- the magics ---

    def trace_target(self, found: options.Options) -> None:
        """Trace the call of `%jaxpr f(x)`, or run its comparison or sweep."""
        observation = Observation()
        interrupted = False
        with self._guard("jupyter_jaxpr could not trace the call."):
            cell = self._running.get(threading.get_ident())
            run_id = uuid.uuid4().hex
            heartbeat = Heartbeat(self.observer, Run(), self.publisher, run_id, cell.id if cell else None).start()
            comparison = sweep = None
            try:
                if found.compare:
                    comparison, message = compare_option.compare_named(
                        self.observer, self.shell.user_ns, found, observation, "%jaxpr"
                    )
                    if found.sweep is not None and comparison is not None and comparison.stopped is None:
                        sweep, message = sweep_option.sweep_named(
                            self.observer, self.shell.user_ns, found, observation, heartbeat.say, None
                        )
                elif found.sweep is not None:
                    sweep, message = target_trace.sweep_target(
                        self.observer, self.shell.user_ns, found, observation, "%jaxpr", heartbeat.say
                    )
                else:
                    message = target_trace.trace_target(self.observer, self.shell.user_ns, found, observation, "%jaxpr")
            finally:
                heartbeat.stop()
            self._publish(RunResult(found, cell, observation, run_id, message, comparison, sweep))
            interrupted = sweep is not None and sweep.interrupted
        if interrupted:
            raise KeyboardInterrupt

    def run_nested(self, found: options.Options, source: str) -> Any:
        """Run a cell that IPython does not run as a cell: below `%%time`, or passed to `run_cell_magic`."""
        __tracebackhide__ = True
        thread = threading.get_ident()
        above = self._lines_above(source)
        if thread in self._active:  # a part of a cell that is already observed
            return _run_body(self.shell, source, above)[1]()
        active = None
        error: BaseException | None = None
        try:
            file, run = _run_body(self.shell, source, above)
            with self._guard("jupyter_jaxpr could not observe the cell."):
                outer = self._running.get(thread)
                cell = cells.RunningCell(
                    outer.id if outer else None,
                    outer.execution_count if outer else None,
                    file,
                    outer.source if outer else source,
                )
                active = self._begin(found, None, cell)
            return run()
        except BaseException as raised:
            error = raised
            raise
        finally:
            begun = self._active.get(thread)
            if begun is not None and active in (None, begun):  # otherwise the extension was unloaded meanwhile
                self._end(thread, begun, _NestedResult(error))

    def _lines_above(self, source: str) -> int:
        """Return the number of lines of the outermost cell above a nested cell, with the line of its magic."""
        outer = self._running.get(threading.get_ident())
        text = outer.source.rstrip() if outer is not None else ""
        body = source.rstrip()
        return text[: len(text) - len(body)].count("\n") if text.endswith("\n" + body) else 1

    def _known_cells(self, cell: cells.RunningCell | None) -> dict[str, CellText]:
        texts: dict[str, CellText] = dict(self._cells)
        if cell is not None and cells.nested_magic(cell.source):
            texts.update((file, cell) for file in cells.NESTED_FILES)
        return texts

    # --- failures of ours ---

    @contextmanager
    def _guard(self, failure: str) -> Iterator[None]:
        """Report an error of this package; `failure` says what did not work.

        The package parses the user's code again, and Python has shown the warnings of the code.
        """
        limit = sys.getrecursionlimit()
        is_low = limit < _OWN_DEPTH  # the user's code may have set a low limit: this package needs more
        if is_low:
            sys.setrecursionlimit(_OWN_DEPTH)
        try:
            with unseen_warnings():
                yield
        except Exception as error:
            if is_of_a_signal(error):
                self._report(_INTERRUPTED, None)
            else:
                self._report(f"{failure} The cell itself ran as always.", traceback.format_exc())
        except KeyboardInterrupt:
            self._report(_INTERRUPTED, None)
        finally:
            if is_low and sys.getrecursionlimit() == _OWN_DEPTH:
                sys.setrecursionlimit(limit)

    def _report(self, text: str, detail: str | None) -> None:
        cure = "Report this failure with the details below." if detail else "Run the cell again to see the program."
        self.publisher.fail(text, cure, detail)
        last_line = f" ({detail.strip().splitlines()[-1]})" if detail else ""
        print(text + last_line, file=sys.stderr)


@dataclass
class _NestedResult:
    error_in_exec: BaseException | None


class _Rewriter(ast.NodeTransformer):
    """Rewrites the first syntax tree after a cell's start, which is the cell's own; a transformer of IPython."""

    def __init__(self, active: Active) -> None:
        self._active = active
        self._done = False
        self._thread = threading.get_ident()

    def visit(self, module: ast.AST) -> Any:
        """Rewrite the cell once; leave the trees of nested magics unchanged."""
        if self._done or threading.get_ident() != self._thread or not isinstance(module, ast.Module):
            return module
        self._done = True
        self._active.others = cells.rewrite(module, self._active.last, self._active.cell.source)
        return module


def _is_within_a_cell() -> bool:
    """Return whether another cell started this cell, so that the frames of both are on the stack."""
    frame: FrameType | None = sys._getframe()
    cells_under_way = 0
    while frame is not None:
        cells_under_way += frame.f_code.co_name == _RUNS_A_CELL
        frame = frame.f_back
    return cells_under_way > 1


def _document_cell(cell: cells.RunningCell) -> Cell:
    return Cell(id=cell.id, execution_count=cell.execution_count, file=cell.file, source=cell.source)


def _is_result_of(result: Any, info: Any) -> bool:
    """Return whether a result belongs to a cell; IPython makes a new info for a cell that ends by its own exception."""
    if result is None:
        return True
    of = getattr(result, "info", None)
    return of is info or getattr(of, "raw_cell", None) == info.raw_cell


def _run_body(shell: InteractiveShell, source: str, above: int) -> tuple[str, Callable[..., Any]]:
    """Compile Python code as IPython's own cell magics do; return its file name and a function that runs it.

    The function returns the value of the last expression.
    """
    # The blank lines replace the lines above in the notebook's cell; IPython removes leading blank lines.
    lines = source.splitlines()
    leading = next((number for number, line in enumerate(lines) if line.strip()), 0)
    text = "\n" * (above + leading) + shell.transform_cell(source)
    name = shell.compile.cache(text, shell.execution_count, raw_code="%%jaxpr\n" + source)
    parsed = shell.compile.ast_parse(text, filename=name)

    def run() -> Any:
        __tracebackhide__ = True
        module = shell.transform_ast(parsed)
        assert isinstance(module, ast.Module)
        last = module.body.pop() if module.body and isinstance(module.body[-1], ast.Expr) else None
        compiler: Any = shell.compile
        exec(compiler(module, name, "exec"), shell.user_global_ns, shell.user_ns)
        if not isinstance(last, ast.Expr):
            return None
        return eval(compiler(ast.Expression(last.value), name, "eval"), shell.user_global_ns, shell.user_ns)

    return name, run
