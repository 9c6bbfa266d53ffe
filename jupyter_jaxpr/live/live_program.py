"""Makes the program of a function in an edited cell, before the cell runs.

The function is made from the cell's source in a copy of the user's namespace, and JAX traces it. Nothing runs on a
device and no call of the cell is made. The kernel keeps the document of the last trace, for the comparison with a run,
but no live objects of a trace.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..document.types.document import Cell
from ..document.types.live import LiveProgram
from ..explain.errors.cell_error import trace_error
from ..interruptions import TraceStopped, not_of_a_signal
from ..jax.caches_of_own_traces import separate_traces
from ..jax.facts import imported, is_jitted
from ..observe.garbage_collection import without_collection
from ..observe.observation import Finding, Place
from ..observe.own_traces.trace_for_live import LiveTrace, trace_live
from ..observe.process_observer import observer
from ..observe.side_effects.proof import side_effects
from ..observe.side_effects.source_of_code_objects import codes_of_text
from ..plain_text import error_lines, error_text
from ..typed.edited_cell import FunctionStatement, NoPython, WrittenCell, read_cell
from .argument_types import THE_MAGIC, Given, Unusable, given_arguments, parameters
from .callers_in_the_cell import callers
from .cost_since_last_run import LastRun
from .executed_statements import DefinedClasses, Definitions, define, text_known
from .function_at_the_caret import chosen_function
from .last_level import COMPILED, SlowCompiles, Texts
from .live_document import live_document
from .live_time_limit import SECONDS, TookTooLong, time_limit
from .names_without_value import UnmadeNames
from .reply_to_the_page import answer
from .sentences_of_untraced_cells import (
    stopped,
    with_computed_array,
    with_effect,
    with_other_result,
    without_argument_types,
    without_definition,
    without_function,
    without_value,
)
from .sentences_on_live_programs import TRACED_BY_LIVE, sentences_on_old_values
from .trace_request import CellToTrace, ObservedCalls, TraceRequest

if TYPE_CHECKING:
    from ..program.source.positions import CellText


class Live:
    """Traces functions of edited cells, one trace at a time."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._classes = DefinedClasses()
        self._slow_compiles = SlowCompiles()
        # All traces use one dictionary, because classes from earlier traces read global names from it.
        self._namespace: dict[str, Any] = {}

    def trace(
        self,
        cell_to_trace: CellToTrace,
        names: Mapping[str, Any],
        observed: ObservedCalls,
        cells: Mapping[str, CellText] | None = None,
        seconds: float = SECONDS,
        last_run: LastRun = lambda name: None,
    ) -> LiveProgram:
        """Trace one function of an edited cell.

        Args:
            cell_to_trace: The cell.
            names: The user's namespace, which is copied.
            observed: A function: name -> arguments of the observed calls.
            cells: `co_filename` of a cell's code -> the cell.
            seconds: The trace is stopped after this many seconds.
            last_run: A function: name -> last run of the function, to compare the costs.
        """
        with self._turn:
            try:
                # No garbage collection during a trace: each visits all objects of JAX and of the syntax tree, which
                # takes a tenth of a second, and a trace causes several.
                with without_collection(), time_limit(seconds) as limit:
                    request = TraceRequest(
                        cell_to_trace, observed, cells or {}, seconds, last_run, limit, self._slow_compiles
                    )
                    return self._trace(request, names)
            except TookTooLong:
                return stopped(seconds)
            finally:
                self._namespace.clear()

    def _trace(self, request: TraceRequest, names: Mapping[str, Any]) -> LiveProgram:
        cell_to_trace = request.cell_to_trace
        try:
            written = read_cell(cell_to_trace.source)
        except SyntaxError as error:
            return answer("no_python", line=error.lineno)
        except NoPython:
            return answer("no_python")
        chosen = chosen_function(written, cell_to_trace.line, cell_to_trace.in_view)
        if chosen is None or not imported():
            return without_function()
        file = f"<cell {cell_to_trace.cell_id} as written>"
        cell_id = cell_to_trace.cell_id
        with text_known(file, written.source), codes_of_text(written.source) as codes:
            work = _OneTrace(request, written, chosen, file)
            try:
                definitions = define(written, cell_id, file, dict(names), self._namespace, self._classes, codes)
            except TraceStopped:
                raise
            except not_of_a_signal(BaseException) as error:
                return work.raised(error)
            return work.traced(definitions, names)


class _OneTrace:
    def __init__(self, request: TraceRequest, written: WrittenCell, chosen: FunctionStatement, file: str) -> None:
        self._request = request
        self._written = written
        self._chosen = chosen
        self._name = chosen.name
        self._file = file
        cell_to_trace = request.cell_to_trace
        self._cell = Cell(id=cell_to_trace.cell_id, execution_count=None, file=file, source=cell_to_trace.source)

    def traced(self, definitions: Definitions, names: Mapping[str, Any]) -> LiveProgram:
        """Trace the chosen function; the cell's definitions have already run in the copy of the namespace."""
        name, chosen, request = self._name, self._chosen, self._request
        function = definitions.functions.get(chosen.lineno)
        if function is None:
            return self._not_defined(definitions)
        try:
            arguments = self._arguments(function, definitions)
        except Unusable as error:
            return answer("needs_arguments", name, chosen.lineno, str(error))
        if arguments is None:
            caller = self._caller(definitions)
            if caller is not None:
                return caller.traced(definitions, names)
            return without_argument_types(chosen, parameters(function))
        missing = without_value(name, function, definitions)
        if missing is not None:
            return missing
        unmade = UnmadeNames(self._written, self._file, definitions).is_unmade
        effects = side_effects(function, arguments.args, arguments.kwargs, first=True, live=True, is_unmade=unmade)
        if effects:
            return with_effect(chosen, self._file, effects[0])
        note = TRACED_BY_LIVE.format(source=arguments.source)
        try:
            live = trace_live(observer(), function, arguments.args, arguments.kwargs, note)
        except TookTooLong:
            return stopped(request.seconds, chosen)
        if live.computed_at is not None:
            return with_computed_array(chosen, self._file, live.computed_at)
        if live.error is not None:
            # The function may return a value that JAX cannot trace. This is only an error if the function is traced; if
            # the user calls it without jit, it works.
            is_called_without_jit = not is_jitted(function) and arguments.source != THE_MAGIC
            other_result = with_other_result(chosen, live.error) if is_called_without_jit else None
            return other_result or self.raised(live.error, live)
        notes = sentences_on_old_values(function, definitions, names)
        texts = self._texts(live)
        if texts.compiled:
            notes.append(COMPILED)
        document, cost = live_document(request, name, self._cell, live, texts=texts)
        return answer("traced", name, chosen.lineno, " ".join(notes) or None, document, live.seconds, cost)

    def raised(self, error: BaseException, live: LiveTrace | None = None) -> LiveProgram:
        """Return the answer for a definition or a trace that raised: the card of the error."""
        if live is None:
            finding = Finding(
                "trace_raised",
                f"Live could not define the functions of the cell. The cell raised {error_text(error)}.",
                detail=error_lines(error),
                place=_line_in(self._file, error),
            )
        else:
            # `trace_error` tries cures by tracing; the observer and JAX's caches must not contain these traces.
            with observer().looking_away(), separate_traces():
                finding = trace_error(error, self._name)
        seconds = 0.0 if live is None else live.seconds
        document, _ = live_document(self._request, self._name, self._cell, live or LiveTrace(), [finding])
        line = finding.place.line if finding.place is not None and finding.place.file == self._file else None
        return answer("raised", self._name, line, finding.text, document, seconds)

    def _arguments(self, function: Any, definitions: Definitions) -> Given | None:
        return given_arguments(function, self._name, self._request, self._written, definitions.namespace)

    def _caller(self, definitions: Definitions) -> _OneTrace | None:
        """Return the trace of a function of the cell that calls the chosen function and whose argument types are known.

        None if there is none. In this way, for example, the body of a scan is traced with the types that the scan
        passes.
        """
        in_view = self._request.cell_to_trace.in_view
        for statement, function in callers(self._written, self._chosen, definitions, in_view):
            caller = _OneTrace(self._request, self._written, statement, self._file)
            try:
                if caller._arguments(function, definitions) is not None:
                    return caller
            except Unusable:  # the trace of the calling function will explain why its arguments cannot be used
                return caller
        return None

    def _not_defined(self, definitions: Definitions) -> LiveProgram:
        skipped = definitions.skipped.get(self._name)
        if skipped is not None and skipped.why is not None and skipped.is_missing:
            error = UnmadeNames(self._written, self._file, definitions).error_of(self._chosen, skipped.why)
            if error is not None:
                return self.raised(error)
        return without_definition(self._chosen, skipped)

    def _texts(self, live: LiveTrace) -> Texts:
        """Let JAX make the texts that the user chose."""
        request = self._request
        cell_to_trace = request.cell_to_trace
        if live.function is None:
            return Texts(cell_to_trace.last_level)
        (program,) = live.function.programs
        return request.slow_compiles.make_texts(
            observer(),
            program,
            cell_to_trace.last_level,
            request.limit,
            cell_to_trace.cell_id,
            cell_to_trace.is_asked_for,
        )


def _line_in(file: str, error: BaseException) -> Place | None:
    """Return the innermost line of the cell in an error's traceback; None if the cell is not in it."""
    place = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == file:
            place = Place(file, step.tb_lineno)
        step = step.tb_next
    return place
