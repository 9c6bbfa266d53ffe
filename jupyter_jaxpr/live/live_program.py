"""Makes the program of a function in an edited cell, before the cell runs.

The function is made from the cell's source in a copy of the user's namespace, and JAX traces it. Nothing runs on a
device and no call of the cell is made. The kernel keeps the document of the last trace, for the comparison with a run,
but no live objects of a trace.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from ..build.document_of_run import build
from ..build.environment import environment
from ..document.types.document import Cell, Snapshot
from ..document.types.live import LiveProgram
from ..explain.errors.cell_error import trace_error
from ..interruptions import TraceStopped, not_of_a_signal
from ..jax.facts import imported, is_jitted
from ..jax.separate_traces import separate_traces
from ..observe.garbage_collection import without_collection
from ..observe.live_trace import LiveTrace, trace_live
from ..observe.observation import ArgumentSpec, Finding, Observation, Place
from ..observe.process_observer import observer
from ..observe.side_effects.guard import effect_text
from ..observe.side_effects.proof import side_effects
from ..observe.side_effects.source import codes_of_text
from ..plain_text import error_lines, error_text
from ..quantities import duration
from ..typed.written_cell import FunctionStatement, NoPython, WrittenCell, read_cell
from .argument_types import THE_MAGIC, Given, Unusable, from_calls, from_magic, from_observed, from_specs, parameters
from .callers import callers
from .chosen_function import chosen_function
from .copied_names import DefinedClasses, Definitions, define, outdated_calls, read_by, text_known
from .cost_since import LastRun, cost_since
from .last_level import COMPILED, TEXT_LIMIT, TEXTS_UP_TO, LastLevel, SlowCompiles, Texts
from .time_limit import SECONDS, TimeLimit, TookTooLong, time_limit
from .unmade_names import UnmadeNames

if TYPE_CHECKING:
    from ..program.source.positions import CellText

_NOTE = "Live traced this program with the argument types from {source}."
_NO_STEPS = "The cell has not run with its present text. Run the cell to step through the construct."
_NOT_RUN = {
    True: "Live does not execute line {line}. {names} has the value of the last run.",
    False: "Live does not execute lines {line}. {names} have the values of the last run.",
}
_OUTDATED = (
    "{outer}, of an earlier cell, calls {inner} as the last run defined {inner}, not as this cell defines {inner} now."
)
_NO_VALUE = "Live does not execute line {line}, so {name} has no value yet. Run the cell."
_NOT_LOADED = "{name} is not imported in the kernel. Run the cell, or import {name} in another cell."
_NOT_DEFINED = "Live does not execute {statement} in line {line}, so {name} is not traced. Run the cell."
_EFFECT = "{name} is not traced live. {effect} Run the cell to see the program."
_COMPUTES = (
    "{name} is not traced live. Line {line} calls code that computes arrays while JAX traces (as "
    "jax.ensure_compile_time_eval does). Run the cell to see the program."
)
_COMPUTES_ELSEWHERE = (
    "{name} is not traced live. The function calls code that computes arrays while JAX traces (as "
    "jax.ensure_compile_time_eval does). Run the cell to see the program."
)
_RETURNS = (
    "{name} is not traced live. The function returns an object of the class {kind}, and a program of JAX returns "
    "arrays, numbers, and lists, tuples and dicts of arrays and numbers."
)
_STOPPED = "Live stopped the trace of {name} after {seconds}. Run the cell to see the program."
_NEEDS = "Live does not know the argument types of {name}. Type the types here, such as {example}, or run the cell."
_NO_FUNCTION = "This cell defines no function that Live could trace."
_RETURNED = re.compile(r"returned a value of type <class '([\w.]+)'>")


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
                    request = _Request(
                        cell_to_trace, observed, cells or {}, seconds, last_run, limit, self._slow_compiles
                    )
                    return self._trace(request, names)
            except TookTooLong:
                text = _STOPPED.format(name="the function", seconds=duration(seconds))
                return _answer("stopped", text=text)
            finally:
                self._namespace.clear()

    def _trace(self, request: _Request, names: Mapping[str, Any]) -> LiveProgram:
        cell_to_trace = request.cell_to_trace
        try:
            written = read_cell(cell_to_trace.source)
        except SyntaxError as error:
            return _answer("no_python", line=error.lineno)
        except NoPython:
            return _answer("no_python")
        chosen = chosen_function(written, cell_to_trace.line, cell_to_trace.in_view)
        if chosen is None or not imported():
            return _answer("no_function", text=_NO_FUNCTION)
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


@dataclass(frozen=True)
class _Request:
    """The values that belong to one request for a live trace; `_OneTrace` traces the function with them.

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


class _OneTrace:
    def __init__(self, request: _Request, written: WrittenCell, chosen: FunctionStatement, file: str) -> None:
        cell_to_trace = request.cell_to_trace
        self._request = request
        self._cell_to_trace = cell_to_trace
        self._written = written
        self._chosen = chosen
        self._name = chosen.name
        self._file = file
        self._cell = Cell(id=cell_to_trace.cell_id, execution_count=None, file=file, source=cell_to_trace.source)

    def traced(self, definitions: Definitions, names: Mapping[str, Any]) -> LiveProgram:
        """Trace the chosen function; the cell's definitions have already run in the copy of the namespace."""
        name = self._name
        function = definitions.functions.get(self._chosen.lineno)
        if function is None:
            return self._not_defined(definitions)
        try:
            arguments = self._arguments(function, definitions)
        except Unusable as error:
            return _answer("needs_arguments", name, self._chosen.lineno, str(error))
        if arguments is None:
            caller = self._caller(definitions)
            if caller is not None:
                return caller.traced(definitions, names)
            example = ", ".join("f32[8]" for _ in parameters(function)) or "f32[8]"
            return _answer("needs_arguments", name, self._chosen.lineno, _NEEDS.format(name=name, example=example))
        missing = self._missing(function, definitions)
        if missing is not None:
            return missing
        unmade = UnmadeNames(self._written, self._file, definitions).is_unmade
        effects = side_effects(function, arguments.args, arguments.kwargs, first=True, live=True, is_unmade=unmade)
        if effects:
            effect = effects[0]
            text = _EFFECT.format(name=name, effect=effect_text(effect, self._file))
            line = effect.line if effect.file == self._file else self._chosen.lineno
            return _answer("not_traced", name, line, text)
        try:
            live = trace_live(
                observer(), function, arguments.args, arguments.kwargs, _NOTE.format(source=arguments.source)
            )
        except TookTooLong:
            text = _STOPPED.format(name=name, seconds=duration(self._request.seconds))
            return _answer("stopped", name, self._chosen.lineno, text)
        if live.computed_at is not None:
            is_here = live.computed_at.file == self._file
            text = (_COMPUTES if is_here else _COMPUTES_ELSEWHERE).format(name=name, line=live.computed_at.line)
            return _answer("not_traced", name, live.computed_at.line if is_here else self._chosen.lineno, text)
        if live.error is not None:
            returned = _RETURNED.search(error_text(live.error))
            # The function returns a value that JAX cannot trace. This is only an error if the function is traced; if
            # the user calls it without jit, it works.
            if returned is not None and not is_jitted(function) and arguments.source != THE_MAGIC:
                text = _RETURNS.format(name=name, kind=returned[1].rpartition(".")[2])
                return _answer("not_traced", name, self._chosen.lineno, text)
            return self.raised(live.error, live)
        notes = [self._kept_values(function, definitions)]
        for outer, inner in outdated_calls(function, definitions, names).items():
            notes.append(_OUTDATED.format(outer=outer, inner=inner))
        texts = self._texts(live)
        if texts.compiled:
            notes.append(COMPILED)
        note = " ".join(filter(None, notes)) or None
        document, cost = self._document(live, texts=texts)
        return _answer("traced", name, self._chosen.lineno, note, document, live.seconds, cost)

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
        document, _ = self._document(live or LiveTrace(), [finding])
        line = finding.place.line if finding.place is not None and finding.place.file == self._file else None
        return _answer("raised", self._name, line, finding.text, document, seconds)

    def _arguments(self, function: Any, definitions: Definitions) -> Given | None:
        names, name = definitions.namespace, self._name
        if self._cell_to_trace.specs is not None:
            return from_specs(name, self._cell_to_trace.specs, names)
        arguments = None
        if self._written.magic is not None:
            arguments = from_magic(self._written.magic, name, names)
        arguments = arguments or from_observed(function, self._request.observed(name))
        # Here a name may have the value of the last run, although the cell would compute a new one: only its type
        # matters.
        arguments = arguments or from_calls(self._written.calls(), name, names)
        if arguments is None and not list(parameters(function)):
            return Given((), {}, "its definition")
        return arguments

    def _caller(self, definitions: Definitions) -> _OneTrace | None:
        """Return the trace of a function of the cell that calls the chosen function and whose argument types are known.

        None if there is none. In this way, for example, the body of a scan is traced with the types that the scan
        passes.
        """
        for statement, function in callers(self._written, self._chosen, definitions, self._cell_to_trace.in_view):
            caller = _OneTrace(self._request, self._written, statement, self._file)
            try:
                if caller._arguments(function, definitions) is not None:
                    return caller
            except Unusable:  # the trace of the calling function will explain why its arguments cannot be used
                return caller
        return None

    def _not_defined(self, definitions: Definitions) -> LiveProgram:
        skipped = definitions.skipped.get(self._name)
        line = self._chosen.lineno if skipped is None else skipped.line
        why = None if skipped is None else skipped.why
        if why is None:
            why = "this statement"
        elif skipped is not None and skipped.is_missing:
            error = UnmadeNames(self._written, self._file, definitions).error_of(self._chosen, why)
            if error is not None:
                return self.raised(error)
            return _answer("not_traced", self._name, line, _NO_VALUE.format(line=line, name=why))
        return _answer("not_traced", self._name, line, _NOT_DEFINED.format(statement=why, line=line, name=self._name))

    def _missing(self, function: Any, definitions: Definitions) -> LiveProgram | None:
        """Return the answer for a function that reads a name without a value, if the cell would assign the name."""
        for name in read_by(function):
            skipped = definitions.skipped.get(name)
            if skipped is None or name in definitions.namespace:
                continue
            if skipped.is_import and skipped.why is not None:
                text = _NOT_LOADED.format(name=skipped.why)
            else:
                text = _NO_VALUE.format(line=skipped.line, name=name)
            return _answer("not_traced", self._name, skipped.line, text)
        return None

    def _kept_values(self, function: Any, definitions: Definitions) -> str | None:
        """Return a sentence that names the names with old values which the function reads; None if there are none."""
        names = [name for name in dict.fromkeys(read_by(function)) if name in definitions.skipped]
        if not names:
            return None
        lines = sorted({definitions.skipped[name].line for name in names})
        text = _NOT_RUN[len(names) == 1 and len(lines) == 1]
        return text.format(line=", ".join(map(str, lines)), names=", ".join(names))

    def _texts(self, live: LiveTrace) -> Texts:
        """Let JAX make the texts that the user chose."""
        last = self._cell_to_trace.last_level
        if live.function is None:
            return Texts(last)
        (program,) = live.function.programs
        request = self._request
        return request.slow_compiles.make_texts(
            observer(), program, last, request.limit, self._cell_to_trace.cell_id, self._cell_to_trace.is_asked_for
        )

    def _document(
        self, live: LiveTrace, findings: Sequence[Finding] = (), texts: Texts | None = None
    ) -> tuple[Snapshot, str | None]:
        """Return the document of a trace, and a sentence on the cost of its program."""
        observation = Observation(
            functions=[] if live.function is None else [live.function],
            printed=list(live.printed),
            findings=list(findings),
            named_values=live.named_values,
        )
        texts = texts or Texts(self._cell_to_trace.last_level)
        has_texts = texts.last != "jaxpr"
        with observer().looking_away():
            built = build(
                observation,
                self._cell,
                environment=environment(observer().hooks.support),
                run_id=f"live {self._cell_to_trace.cell_id}",
                cells=self._request.cells,
                texts_up_to=TEXTS_UP_TO if has_texts else -1,
                text_limit=TEXT_LIMIT,
            )
        cost = None if live.function is None else cost_since(built, self._request.last_run(self._name))
        return _without_kernel(built.document, texts), cost


def _without_kernel(document: Snapshot, texts: Texts) -> Snapshot:
    """Return the document without references to live objects; each missing text and each missing step has a reason."""
    programs = [
        msgspec.structs.replace(program, levels=[texts.described(level) for level in program.levels])
        for program in document.programs
    ]
    cards = [
        card if card.steppable is not None else msgspec.structs.replace(card, steppable=_NO_STEPS)
        for card in document.control_flow
    ]
    return msgspec.structs.replace(document, programs=programs, control_flow=cards)


def _line_in(file: str, error: BaseException) -> Place | None:
    """Return the innermost line of the cell in an error's traceback; None if the cell is not in it."""
    place = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == file:
            place = Place(file, step.tb_lineno)
        step = step.tb_next
    return place


def _answer(
    state: Any,
    function: str | None = None,
    line: int | None = None,
    text: str | None = None,
    document: Snapshot | None = None,
    seconds: float = 0.0,
    cost: str | None = None,
) -> LiveProgram:
    return LiveProgram(
        state=state, function=function, line=line, text=text, snapshot=document, seconds=seconds, cost=cost
    )


def observed_calls(function: Any) -> list[tuple[ArgumentSpec, ...]]:
    """Return the argument types of the observed calls of a jitted user function, newest first."""
    if not is_jitted(function):
        return []
    record = observer().functions.record_of(getattr(function, "_fun", None))
    if record is None:
        return []
    return [program.arguments() for program in reversed(list(record.programs.values()))]
