"""Reports what JAX does at present in a run: the stage, the function, and when the stage started."""

from __future__ import annotations

from dataclasses import dataclass

from .cell_run import Run
from .loop_of_running_trace import UnderWay
from .open_calls import Miss, ThreadState
from .stage_times_of_call import STAGE_NAMES


@dataclass(frozen=True)
class Progress:
    """The state of a run at one moment.

    Attributes:
        stage: `running`, `trace`, `lower`, `compile` or `first_run`.
        function: The user's function that JAX works for; None if JAX works for no function of the user.
        since: The time at which the stage began, by `time.perf_counter`.
        finished: (name, seconds) of each stage of the call that has ended.
        program: What is known of the program that JAX is making.
    """

    stage: str
    function: str | None
    since: float
    finished: tuple[tuple[str, float], ...] = ()
    program: UnderWay = UnderWay()


def progress_of(state: ThreadState | None, run: Run) -> Progress:
    """Return what JAX does for a run at present.

    `state` is the state of the run's thread; None if JAX has done nothing on this thread.
    """
    if state is None:
        return _unreported_trace(run, None) or Progress("running", None, run.started_at)
    stack, stage = state.stack, state.stage
    call = stack[-1] if stack else None
    miss: Miss | None = call.record if call is not None else None
    finished = tuple(miss.stages.finished) if miss is not None else ()
    name = miss.function.name if miss is not None else None
    if stage is not None:
        word = STAGE_NAMES[stage[0]]
        if name is None and stage[1] is not None and _is_users_stage(stage[1], state, run):
            name = stage[1]
        unreported = _unreported_trace(run, None) if name is None else None
        return unreported or Progress(word, name, stage[2], finished, run.under_way.look(run.thread, word, call))
    if miss is not None and miss.stages.compiled_at is not None:
        return Progress("first_run", name, miss.stages.compiled_at, finished)
    return _unreported_trace(run, name) or Progress("running", name, run.started_at, finished)


def _unreported_trace(run: Run, name: str | None) -> Progress | None:
    """Return the progress of a trace for which JAX reports no event; None if there is no such trace of a user function.

    Examples are the trace of the body of a `scan`, `while_loop`, `fori_loop` or `cond` outside of jit, and the trace of
    a jitted function under `vmap` or `grad`.

    Args:
        run: The run.
        name: The name of the function whose call missed; None outside of a missed call.
    """
    trace = run.under_way.look_at_unreported(run.thread)
    return None if trace is None else Progress("trace", name or trace.title, trace.since, (), trace.program)


def _is_users_stage(name: str, state: ThreadState, run: Run) -> bool:
    """Return whether a stage outside of a missed call belongs to a function of the user."""
    names = {
        *run.traced_names,
        *run.ahead,
        *state.under_transforms,
        *(request.name for request in state.trace_requests),
    }
    return name == state.traces_ahead or name in names
