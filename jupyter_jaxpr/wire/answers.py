"""A request of the panel in, its reply out.

Nothing of the user's runs for most answers: texts, equations and costs are read off what JAX already made, and `make`
lowers or compiles a program that was traced before. The long requests (`steps`, `time`, `sweep`, ...) do run it, for
the user pressed the button; they are answered by a worker (see `work`), the last reply after some that say how far it
is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from ..build.levels import Unavailable
from ..measure.compare.named import functions_of
from ..measure.compare.programs import compare_programs, question
from ..measure.steps.equations import Unsteppable
from ..observe.calls.call_values import ValuesGone
from ..observe.kernel import observer
from ..plain_text import kind_name, message_of
from ..typed.specs import SpecError, parse_sweep, parse_target
from .messages import (
    CompareRequest,
    CostRequest,
    DiffRequest,
    ExactLinksRequest,
    ExportRequest,
    MachineRequest,
    MakeRequest,
    PassDiffRequest,
    PassesRequest,
    Reply,
    ScopeRequest,
    ShardingsRequest,
    SourceRequest,
    StepsRequest,
    StopRequest,
    SweepRequest,
    TextRequest,
    TimeRequest,
    TransformRequest,
)
from .runs import KEPT, Run, Runs
from .work import Job, Work, Worker

if TYPE_CHECKING:
    from ..build.build import Sources
    from ..document.types.document import Snapshot
    from ..measure.steps.checked_run import Construct

LongRequest = (
    StepsRequest | CompareRequest | TimeRequest | SweepRequest | MachineRequest | PassesRequest | ExactLinksRequest
)
ShortRequest = (
    TextRequest
    | ScopeRequest
    | MakeRequest
    | CostRequest
    | ShardingsRequest
    | TransformRequest
    | DiffRequest
    | ExportRequest
    | PassDiffRequest
    | SourceRequest
)
Request = ShortRequest | StopRequest | LongRequest

LINES_AT_MOST = 5_000
EQUATIONS_AT_MOST = 5_000
CONSTRUCTS_KEPT = 8

_GONE = f"The kernel no longer holds this run: it keeps the last {KEPT}. Run the cell again."
_GONE_BEFORE = f"The kernel no longer holds the earlier run: it keeps the last {KEPT}. Choose another one."
_NO_SUCH = "This run has no such {what}. Run the cell again."
_VALUES = "A sweep calls the function and needs values, and '{call}' has types. Write arrays: {name}(jnp.ones({n}))."
_UNREADABLE = (
    "This kernel's jupyter_jaxpr does not understand what the panel asked ({why}). Install the same version of "
    "jupyter_jaxpr for JupyterLab and for the kernel, then restart both."
)
_DERIVED = (
    "{name} was derived from types, so there are no values to run it on. Time the function it comes from, or call the "
    "transform in a cell of its own."
)
_BROKE = "The kernel could not answer: {error}. Run the cell again."


class Answers:
    """Answers requests about the kept runs; may be asked from several threads at once.

    Args:
        runs: The kept ones.
        namespace: Gives the user's names, for what the user types in the panel; they are read, never changed.
    """

    def __init__(self, runs: Runs, namespace: Callable[[], dict[str, Any]] = dict) -> None:
        self._runs = runs
        self._namespace = namespace
        # One compilation at a time: two tabs may press the same button, and the second one finds it made.
        self._making = threading.Lock()
        self._worker = Worker()
        self._constructs: dict[tuple[str, int], Construct] = {}  # only the worker's job touches it

    def answer(self, data: object, page: str = "", send: Callable[[Reply], None] | None = None) -> Reply | None:
        """The reply to a request as it came off the wire.

        Args:
            data: The request.
            page: Who asks, such as the id of its comm: a page stops its own requests only.
            send: Takes the replies to a long request, from another thread.

        Returns:
            None where the request has no id that a reply could carry, where its replies go to `send`, and for `stop`.
        """
        identifier = data.get("id") if isinstance(data, dict) else None
        if not isinstance(identifier, int):
            return None
        try:
            # Fields that a newer browser added are ignored.
            request: Request = msgspec.convert(data, Request)
        except msgspec.ValidationError as error:
            return _error(identifier, _UNREADABLE.format(why=error))
        if isinstance(request, StopRequest):
            self._worker.stop(page, identifier)
            return None
        run = self._runs.get(request.snapshot)
        if run is None:
            return _error(identifier, _GONE)
        if isinstance(request, LongRequest):
            job = _guarded(self._job(request, run))
            if send is None:
                return job(Work(identifier, lambda reply: None))
            self._worker.begin(page, identifier, job, send)
            return None
        return _guarded(lambda work: self._now(request, run))(Work(identifier, lambda reply: None))

    def leave(self, page: str | None = None) -> None:
        """Stop the long requests of a page that has gone, or of all."""
        self._worker.leave(page)

    def _now(self, request: ShortRequest, run: Run) -> Reply:
        match request:
            case TextRequest():
                return self._text(request, run)
            case ScopeRequest():
                return self._scope(request, run)
            case MakeRequest():
                return self._make(request)
            case CostRequest():
                return self._cost(request, run)
            case ShardingsRequest():
                return self._shardings(request, run)
            case DiffRequest():
                return self._diff(request, run)
            case TransformRequest():
                return self._transform(request)
            case ExportRequest():
                return self._export(request, run)
            case PassDiffRequest():
                return self._pass_diff(request, run)
            case SourceRequest():
                return self._source(request, run)

    def _job(self, request: LongRequest, run: Run) -> Job:
        """What does the work of a long request."""
        match request:
            case StepsRequest():
                return lambda work: self._steps(request, run, work)
            case CompareRequest():
                return lambda work: self._compare(request, run, work)
            case SweepRequest():
                return lambda work: self._sweep(request, run, work)
            case TimeRequest():
                return lambda work: self._time(request, run, work)
            case MachineRequest():
                return lambda work: self._machine(request, run, work)
            case PassesRequest():
                return lambda work: self._passes(request, run, work)
            case ExactLinksRequest():
                return lambda work: self._exact_links(request, run, work)

    def _text(self, request: TextRequest, run: Run) -> Reply:
        if not 0 <= request.program < len(run.document.programs):
            return _error(request.id, _NO_SUCH.format(what="program"))
        # Another platform's text is lowered now: none of the user's calls.
        with observer().looking_away():
            page = run.sources.text_page(
                request.program,
                request.level,
                max(request.first_line, 0),
                min(max(request.line_count, 0), LINES_AT_MOST),
                request.platform,
                twin=request.twin,
            )
        return Reply(id=request.id, error=None, text=page, scope=None, snapshot=None)

    def _scope(self, request: ScopeRequest, run: Run) -> Reply:
        if not 0 <= request.scope < len(run.document.scopes):
            return _error(request.id, _NO_SUCH.format(what="scope"))
        page = run.sources.scope_page(
            request.scope,
            max(request.first_equation, 0),
            min(max(request.equation_count, 1), EQUATIONS_AT_MOST),
        )
        return Reply(id=request.id, error=None, text=None, scope=page, snapshot=None)

    def _make(self, request: MakeRequest) -> Reply:
        with self._making:
            run = self._runs.get(request.snapshot)
            if run is None:
                return _error(request.id, _GONE)
            if not 0 <= request.program < len(run.document.programs):
                return _error(request.id, _NO_SUCH.format(what="program"))
            document: Snapshot = run.document
            level = next(each for each in document.programs[request.program].levels if each.name == request.level)
            if level.state == "absent":
                return _error(request.id, level.reason or _NO_SUCH.format(what="text"))
            if level.state == "not_made":
                document = run.sources.make(request.program, request.level)
                self._runs.renew(document)
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=document)

    def _cost(self, request: CostRequest, run: Run) -> Reply:
        if not 0 <= request.program < len(run.document.programs):
            return _error(request.id, _NO_SUCH.format(what="program"))
        cost = run.sources.cost(request.program)
        self._runs.renew(run.sources.document)
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, cost=cost)

    def _shardings(self, request: ShardingsRequest, run: Run) -> Reply:
        if not 0 <= request.program < len(run.document.programs):
            return _error(request.id, _NO_SUCH.format(what="program"))
        shardings = run.sources.shardings(request.program)
        self._runs.renew(run.sources.document)
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, shardings=shardings)

    def _export(self, request: ExportRequest, run: Run) -> Reply:
        from ..exports.page import page

        if not 0 <= request.program < len(run.document.programs):
            return _error(request.id, _NO_SUCH.format(what="program"))
        document = msgspec.structs.replace(run.sources.with_texts(whole=True), focus=request.program)
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, page=page(document))

    def _transform(self, request: TransformRequest) -> Reply:
        from ..build.transform import transform_program

        with self._making:
            run = self._runs.get(request.snapshot)
            if run is None:
                return _error(request.id, _GONE)
            if not 0 <= request.program < len(run.document.programs):
                return _error(request.id, _NO_SUCH.format(what="program"))
            document = transform_program(observer(), run.sources, request.program, request.kind)
            self._runs.renew(document)
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=document)

    def _diff(self, request: DiffRequest, run: Run) -> Reply:
        from ..build.diff import diff_runs
        from ..document.check.validate import validate

        held = self._runs.get(request.before)
        if request.before_document is not None:
            # A document from a file may have the id of a run that is held: it stands for itself alone.
            try:
                validate(request.before_document)
            except ValueError as error:
                return _error(request.id, str(error))
            before: tuple[Snapshot, Sources | None] = request.before_document, None
        elif held is not None:
            before = held.document, held.sources
        else:
            return _error(request.id, _GONE_BEFORE)
        chosen = (before[0], request.before_program), (run.document, request.program)
        if any(not 0 <= program < len(document.programs) for document, program in chosen):
            return _error(request.id, _NO_SUCH.format(what="program"))
        found = diff_runs(
            before,
            request.before_program,
            (run.document, run.sources),
            request.program,
            request.level,
        )
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, diff=found)

    def _steps(self, request: StepsRequest, run: Run, work: Work) -> Reply:
        if not 0 <= request.control < len(run.document.control_flow):
            return _error(request.id, _NO_SUCH.format(what="construct"))
        from ..build.steps import called_again, recording_document

        document = run.document
        why = document.control_flow[request.control].steppable
        if why is not None:
            return _error(request.id, why)
        construct = self._construct(run, request.control)
        if construct.question is not None and not request.repeat_effects:
            return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, confirm=construct.question)
        again = called_again(document, request.control)
        rerun = construct.run(calls_after=again, stopped=work.is_stopped, tell=work.tell)
        recording = recording_document(document, request.control, rerun)
        self._runs.renew(run.sources.add_recordings([recording]))
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, recording=recording)

    def _compare(self, request: CompareRequest, run: Run, work: Work) -> Reply:
        programs = run.document.programs
        chosen = list(dict.fromkeys(request.programs))
        if any(not 0 <= program < len(programs) for program in chosen):
            return _error(request.id, _NO_SUCH.format(what="program"))
        if len(chosen) < 2:
            return _error(request.id, "One program has nothing to be compared with. Choose two or more.")
        names = [programs[program].name for program in chosen]
        named = [
            (name if names.count(name) == 1 else f"{name} ({program + 1})", run.sources.observed(program))
            for name, program in zip(names, chosen, strict=True)
        ]
        asks = question(named)
        if asks is not None and not request.repeat_effects:
            return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, confirm=asks)

        def report(doing: str, done: int, total: int) -> None:
            work.tell(doing, done, total, always=True)

        found = compare_programs(observer(), named, report=report, stop=work.is_stopped)
        document = run.sources.add_comparison(found)
        self._runs.renew(document)
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, comparison=document.comparison)

    def _time(self, request: TimeRequest, run: Run, work: Work) -> Reply:
        from ..build.timing import asks_before, timing_document
        from ..measure.times.program_timing import time_program

        document, program = run.document, request.program
        if not 0 <= program < len(document.programs):
            return _error(request.id, _NO_SUCH.format(what="program"))
        if any(part.program == program for transform in document.transforms for part in transform.parts):
            return _error(request.id, _DERIVED.format(name=document.programs[program].name))
        asks = asks_before(document, run.sources, program)
        if asks is not None and not request.confirmed:
            return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, confirm=asks)
        observed = run.sources.observed(program)
        times = time_program(
            observer(),
            document.programs[program].name,
            observed,
            confirmed=request.confirmed,
            report=work.tell,
            stop=work.is_stopped,
        )
        timing = timing_document(program, observed.stages, times)
        self._runs.renew(run.sources.add_timing(timing))
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, timing=timing)

    def _passes(self, request: PassesRequest, run: Run, work: Work) -> Reply:
        from ..build.passes import find_passes, passes_document, passes_question

        program = request.program
        if not 0 <= program < len(run.document.programs):
            return _error(request.id, _NO_SUCH.format(what="program"))
        observed = run.sources.observed(program)
        if not request.confirmed:
            asks = passes_question(observed, run.document.programs[program].name)
            return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, confirm=asks)
        work.tell("compiling once more", always=True)
        found, seconds = find_passes(observed)
        run.sources.add_passes(program, found)
        passes = passes_document(program, found, seconds)
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, passes=passes)

    def _exact_links(self, request: ExactLinksRequest, run: Run, work: Work) -> Reply:
        from ..build.exact_links import exact_links_question, find_exact_links

        program = request.program
        if not 0 <= program < len(run.document.programs):
            return _error(request.id, _NO_SUCH.format(what="program"))
        if not request.confirmed and run.sources.twin(program) is None:
            asks = exact_links_question(run.sources.observed(program), run.document.programs[program].name)
            return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, confirm=asks)
        found = find_exact_links(
            run.sources, program, lambda text: work.tell(text, always=True), stopped=work.is_stopped
        )
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, exact_links=found)

    def _pass_diff(self, request: PassDiffRequest, run: Run) -> Reply:
        from ..build.passes import diff_page

        lines = run.sources.pass_diff(request.program, request.index)
        page = diff_page(
            request.program,
            request.index,
            lines,
            max(request.first_line, 0),
            min(max(request.line_count, 0), LINES_AT_MOST),
        )
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, pass_diff=page)

    def _source(self, request: SourceRequest, run: Run) -> Reply:
        # Only what the run came from is ever read.
        page = run.sources.source_page(request.path)
        if page is None:
            return _error(request.id, _NO_SUCH.format(what="file"))
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, source=page)

    def _machine(self, request: MachineRequest, run: Run, work: Work) -> Reply:
        from ..build.machine import machine_document
        from ..measure.times.machine import measure_machine

        measured = measure_machine(report=work.tell, stop=work.is_stopped)
        if measured is None:
            return _error(request.id, "It was stopped before anything was measured. Press the button again.")
        machine = machine_document(measured)
        self._runs.renew(run.sources.add_machine(machine))
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, machine=machine)

    def _sweep(self, request: SweepRequest, run: Run, work: Work) -> Reply:
        from ..measure.times.sweep import Values, sweep

        support = observer().hooks.support
        if support.tier == "none":
            return _error(request.id, support.note or _NO_SUCH.format(what="JAX"))
        namespace = self._namespace()
        try:
            target = parse_target(request.call)
            swept = parse_sweep(request.sweep, target)
        except SpecError as error:
            return _error(request.id, str(error))
        if target.has_specs:
            return _error(request.id, _VALUES.format(call=request.call, name=target.function_text, n=swept.name))
        functions = functions_of(target, request.functions, namespace)
        missing = next((each.missing for each in functions if each.missing is not None), None)
        if missing is not None:
            return _error(request.id, missing)
        observer().hooks.ensure()
        begun = -1

        def report(text: str, done: int | None, total: int | None) -> None:
            # The first word of each value is told: the last may be long, and nothing is said while it runs.
            nonlocal begun
            always, begun = done != begun, done or 0
            work.tell(text, done, total, always=always)

        found = sweep(
            observer(),
            functions,
            Values(swept.name, swept.values, target, namespace),
            confirmed=request.confirmed,
            ask=True,
            report=report,
            stop=work.is_stopped,
        )
        if found.question is not None:
            return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, confirm=found.question)
        document = run.sources.add_sweep(found)
        self._runs.renew(document)
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=None, sweep=document.sweep)

    def _construct(self, run: Run, control: int) -> Construct:
        """The construct of a card; compiled ones are kept, so that a second run answers at once."""
        from ..build.steps import construct_of

        key = run.document.id, control
        construct = self._constructs.pop(key, None) or construct_of(run.sources, control)
        self._constructs[key] = construct
        while len(self._constructs) > CONSTRUCTS_KEPT:
            del self._constructs[next(iter(self._constructs))]
        return construct


def _guarded(job: Job) -> Job:
    """A job that never raises: what is raised becomes the error of its reply."""

    def guarded(work: Work) -> Reply:
        try:
            return job(work)
        except (Unavailable, Unsteppable, ValuesGone) as error:
            return _error(work.identifier, str(error))
        except Exception as error:
            return _error(work.identifier, _BROKE.format(error=_first_line(error)))

    return guarded


def _error(identifier: int, text: str) -> Reply:
    return Reply(id=identifier, error=text, text=None, scope=None, snapshot=None)


def _first_line(error: Exception) -> str:
    """The name of an exception and the first line of what it says, without a full stop."""
    text = message_of(error).strip().partition("\n")[0].rstrip(".")
    return f"{kind_name(type(error))}: {text}" if text else kind_name(type(error))
