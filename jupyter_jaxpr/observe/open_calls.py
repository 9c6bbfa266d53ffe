"""Holds the missed calls that one thread has open in JAX, from the start to the end of each call.

`leave` closes a call that has ended. `prune` closes calls that ended with an exception of which no hook reported.
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType, FunctionType, MappingProxyType
from typing import Any, NamedTuple

from ..interruptions import not_of_a_signal
from ..jax.missed_calls import JitCall
from ..plain_text import FAILURES
from .argument_specs import CallShape, EquinoxCall
from .cache.cache_key import Key
from .cache.function_history import FunctionHistory, MissEvent
from .cache.kernel_history import History
from .calls.call_values import CallValues
from .calls.repeatable_calls import HeldCall
from .cell_run import FunctionActivity, Run
from .code_of_callables import code_of, unwrap
from .jitted_functions import FunctionRecord
from .observation import Place
from .outside_reads import Read
from .stages import CallStages, LooseEvent
from .user_or_library.whose_code import is_class_of_users
from .values_at_trace import values_at_trace

LOOSE_EVENTS = 64
TRACED_FUNCTIONS = 50


class Miss:
    """The record of one missed call, from its start to its end.

    Attributes:
        state: the state of the thread that made the call.
        records_trace: true while the printed text and the executed lines of the trace are recorded.
        reads_names: true while only the values of names are recorded, in a trace that JAX does not report.
        derived: the stages of each program that JAX derived and ran within the call.
    """

    __slots__ = (
        "activity",
        "derived",
        "equinox",
        "event",
        "function",
        "held",
        "place",
        "reads_names",
        "records_trace",
        "shape",
        "stages",
        "state",
        "tracing",
        "types",
        "values",
    )

    def __init__(
        self,
        state: ThreadState,
        function: FunctionRecord,
        activity: FunctionActivity | None,
        place: Place | None,
        event: MissEvent,
    ) -> None:
        self.state = state
        self.function = function
        self.event = event
        self.activity = activity
        self.place = place
        self.stages = CallStages()
        self.tracing = True
        self.records_trace = False
        self.reads_names = False
        self.types: list[Any] | None = None
        self.values: CallValues | None = None
        self.held: HeldCall | None = None
        self.shape: CallShape | Key | None = None
        self.equinox: EquinoxCall | None = None
        self.derived: list[CallStages] = []


class TraceRequest(NamedTuple):
    """A function that the user traces without a call, such as with `f.trace(x)`.

    Attributes:
        frame: `id()` of the frame that called `f.trace` or `f.lower`.
        code: the code object of this frame, because another frame may get the same id.
        name: the name of the function in JAX's events.
    """

    frame: int
    code: CodeType
    name: str
    history: FunctionHistory


class ThreadState:
    """What one thread does in JAX at present.

    Attributes:
        trace_requests: functions that JAX traces because the user called `f.trace` or `f.lower`.
        replay_spans: (end time, seconds) of the newest stages that the observer ignored, because this package called
            JAX.
        ahead: (name, function) of a trace that the user requested without a call, and that has not begun.
        traces_ahead: the name of a function that JAX traces at present without a call.
        stage: the stage that JAX runs at present: (JAX's event, function name, start time).
    """

    __slots__ = (
        "ahead",
        "trace_requests",
        "from_disk",
        "listening",
        "loose",
        "looking_away",
        "replay_events",
        "replay_seconds",
        "replay_spans",
        "replaying",
        "run",
        "stack",
        "stage",
        "traces_ahead",
        "under_transforms",
    )

    def __init__(self) -> None:
        self.stack: list[JitCall] = []
        self.run: Run | None = None
        self.trace_requests: list[TraceRequest] = []
        self.from_disk = False
        self.replaying = False
        self.replay_events = 0
        self.replay_seconds = 0.0
        self.replay_spans: deque[tuple[float, float]] = deque(maxlen=64)
        self.looking_away = False
        self.listening: tuple[tuple[str, CallStages], ...] = ()
        self.loose: deque[LooseEvent] = deque(maxlen=LOOSE_EVENTS)
        self.ahead: tuple[str, Any] | None = None
        self.traces_ahead: str | None = None
        self.stage: tuple[str, str | None, float] | None = None
        self.under_transforms: dict[str, tuple[FunctionRecord, Any, Place | None]] = {}


def count_replayed(state: ThreadState, seconds: float) -> None:
    """Add the seconds of a stage that the observer ignores; the seconds of a stage inside it are added only once."""
    state.replay_events += 1
    ended = time.perf_counter()
    while state.replay_spans and state.replay_spans[-1][0] > ended - seconds:
        state.replay_seconds -= state.replay_spans.pop()[1]
    state.replay_seconds += seconds
    state.replay_spans.append((ended, seconds))


def state_of(threads: dict[int, ThreadState]) -> ThreadState:
    """Return the record of what this thread does in JAX."""
    thread = threading.get_ident()
    state = threads.get(thread)
    if state is None:
        if len(threads) > 100:  # remove the states of ended threads
            alive = {running.ident for running in threading.enumerate()}
            for ended in [ident for ident in threads if ident not in alive]:
                del threads[ended]
        state = threads[thread] = ThreadState()
    return state


def prune(state: ThreadState, history: History, new: JitCall | None = None) -> None:
    """Close the open calls that ended with an exception of which no hook reported.

    `new` is a call that has just begun.
    """
    while state.stack and (_is_where(state.stack[-1], new) or not state.stack[-1].under_way()):
        leave(state, history, state.stack[-1], raised=True)


def leave(state: ThreadState, history: History, call: JitCall, raised: bool) -> None:
    """Close a call that has ended.

    Open calls inside it are closed, too: they ended with an exception of which no hook reported.
    """
    while state.stack:
        top = state.stack.pop()
        miss: Miss = top.record
        if miss.tracing or miss.records_trace:
            stop_trace(miss)
        for stages in miss.derived:
            miss.stages.take_in(stages)
        total = time.perf_counter() - miss.stages.started_at
        lines = state.run.call_lines if state.run is not None and miss.activity is not None else None
        was_left_early = raised or top is not call
        if was_left_early and state.run is not None and state.run.keeps_programs:
            from .programs_that_ran import note_unfinished  # an import at the top of the file would be circular

            try:
                note_unfinished(top, miss)
            except not_of_a_signal(*FAILURES) as error:
                state.run.fail(error)
        history.end(miss.function, miss.event, miss.stages, was_left_early, total, miss.activity, lines)
        top.drop_values()
        if top is call:
            break


def start_trace(run: Run, miss: Miss, fun: Any) -> None:
    """Begin to record the printed text and the executed lines of the trace of a call."""
    miss.records_trace = True
    miss.function.at_trace = None
    if run.look_before and not miss.function.library:
        try:
            miss.function.at_trace = values_at_trace(fun, miss.event.key.statics if miss.event.key is not None else {})
        except not_of_a_signal(*FAILURES) as error:
            run.fail(error)
    statics = {} if miss.event.key is None else miss.event.key.statics
    values = {name: static.value for name, static in statics.items()}
    begin_trace(
        run,
        miss.function.name,
        fun,
        {name: value for name, value in values.items() if is_class_of_users(type(value))},
    )


def begin_trace(run: Run, name: str, fun: Any, objects: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Begin to record a trace.

    A call caused the trace, or a request such as `f.trace(x)`.

    Args:
        run: The run.
        name: The name of the function.
        fun: The function.
        objects: parameter name -> static argument whose class is the user's.
    """
    run.traced_names.append(name)
    reference = run.traced_objects.get(id(fun))
    is_new = reference is None or reference() is not fun
    if (is_new or objects) and run.keeps_programs and run.look_before and len(run.traced_functions) < TRACED_FUNCTIONS:
        run.traced_objects[id(fun)] = weakref.ref(fun)
        before = None
        try:
            before = run.look_before(fun, objects)
        # after an error of `look_before`, the printed text and the executed lines of the trace are still recorded
        except not_of_a_signal(*FAILURES) as error:
            run.fail(error)
        if before is not None:
            run.traced_functions.append((name, before))
    if len(run.traced_names) == 1:
        run.prints.start()
        inner = _traced(fun)
        code = inner.__code__ if type(inner) is FunctionType else code_of(inner)
        module = getattr(inner, "__globals__", None)
        if run.lines is not None:
            run.lines.start(code, module)
        if run.keeps_programs and run.reads_names:
            run.names.start(inner)


def _traced(fun: Any) -> Any:
    return unwrap(fun)


def read_names(run: Run, miss: Miss, fun: Any) -> None:
    """Begin to record the values of names in a trace of a call under vmap, grad or jvp.

    JAX reports no event of such a trace.
    """
    if run.keeps_programs and run.reads_names and not run.traced_names:
        miss.reads_names = True
        run.names.start(_traced(fun))


def stop_trace(miss: Miss) -> None:
    """Record the end of a call's trace."""
    miss.tracing = False
    run = miss.state.run
    if miss.reads_names and run is not None:
        miss.reads_names = False
        if not run.traced_names:
            run.named_values.add(run.names.stop())
    if not miss.records_trace or run is None or not run.traced_names:
        return
    miss.records_trace = False
    traced = miss.function.at_trace
    if traced is not None:
        try:
            variables, changes = traced.settle(lambda read: _was_read(run, read))
            for variable in variables:
                run.impure_calls.calls.setdefault((variable.function, variable.name), variable)
            for change in changes:
                run.changed_by_traces.setdefault((change.function, change.name), change)
        except not_of_a_signal(*FAILURES) as error:
            miss.function.at_trace = None
            run.fail(error)
    end_trace(run)


def _was_read(run: Run, read: Read) -> bool | None:
    """Return whether the trace that ends now executed the expression `read`; None if this is unknown."""
    began = run.names.began(read.code)
    reached = None if run.lines is None else run.lines.was_reached(read.code, read.place.line)
    if began is False or reached is False:
        return False
    return True if reached or (began and not read.is_in_branch) else None


def end_trace(run: Run) -> None:
    """End the recording of the innermost trace."""
    if run.traced_names:
        run.traced_names.pop()
    if not run.traced_names:
        run.prints.stop()
        if run.lines is not None:
            run.lines.stop()
        run.named_values.add(run.names.stop())


def forget_trace_requests(state: ThreadState, new: int = 0) -> None:
    """Drop the requests whose traces have ended.

    `new` is the id of a frame that requests another trace: the earlier request of this frame has ended, too.
    """
    if state.trace_requests:
        active_frames = set(_frames(sys._getframe(1)))
        state.trace_requests = [
            request
            for request in state.trace_requests
            if request.frame != new and (request.frame, request.code) in active_frames
        ]


def _frames(frame: FrameType | None) -> Iterator[tuple[int, CodeType]]:
    while frame is not None:
        yield id(frame), frame.f_code
        frame = frame.f_back


def _is_where(call: JitCall, new: JitCall | None) -> bool:
    """Return whether the call `new` is made in the frame that made `call`, so that `call` must have ended."""
    return new is not None and new.frame is not None and call.is_in(new.frame)
