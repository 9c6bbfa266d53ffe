"""Adds counted calls and stages to the counts of functions and lines.

A call or a stage is credited to the function that was called. If JAX reports only a name, it is credited to the
function of this name.
"""

from __future__ import annotations

import sys
from typing import Any

from ..jax.facts import COMPILE_EVENT, LOWER_EVENT, TRACE_EVENT, staging
from ..jax.hooks import Hooks
from ..jax.missed_calls import JitCall, derived_jaxpr
from .cache.history_of_all_functions import History
from .cache.history_of_one_function import FunctionHistory
from .calls.sys_monitoring import HAS_MONITORING
from .cell_run import EAGER_COMPILES, FunctionActivity, Run
from .functions.jitted_functions import FunctionRecord, Functions
from .observation import EagerCompile, Place
from .open_calls import ThreadState
from .stage_times_of_call import CallStages, LooseEvent
from .user_or_library.library_functions import is_users
from .user_or_library.users_line_of_call import user_place


def drain(
    run: Run, functions: Functions, hooks: Hooks, missing: Any = None, its_record: FunctionRecord | None = None
) -> _Drained:
    """Add the calls that the counter has seen to the counts of their functions and lines.

    Return three things: whether a call of the function that misses at present was added, whether the counter had such a
    call at all, and the counts of this function.
    """
    counted = has_miss = False
    its_activity = None
    counter = run.counter
    for called, times, place, record in counter.drain():
        if called is None:  # Python deleted the called function before `drain`
            _credit_gone(run, record, times, place)
            continue
        fun = getattr(called, "_fun", None)
        # Most calls are calls of the function that misses at present; its record is known, and need not be searched.
        if fun is missing and its_record is not None and not its_record.equinox:
            run.call_lines.called(place, times)
            its_activity = its_activity or run.activity(its_record)
            its_activity.called(its_record, times)
            _note_jitted(its_record, called)
            counted = has_miss = True
            continue
        if fun is None:
            _drain_derived(run, called)
            continue
        function = functions.record_of(fun)
        if function is not None and function.construct is not None:
            # JAX calls the function that it made for a construct. The call is not counted here:
            # `HookReceiver.evaluated` counts the executions of the construct.
            continue
        shared = function is None and functions.is_shared(fun)
        if shared or (is_users(fun) if function is None else not function.library):
            run.call_lines.called(place, times)
        has_miss |= fun is missing
        if shared:
            continue
        counted |= fun is missing
        if function is None and hooks.support.tier != "hooks":
            function = functions.by_code(fun)
        if function is None:
            run.note_unseen(called, times)
        elif not function.library:
            _note_jitted(function, called)
            run.activity(function).called(function, times)
    if not counter.noted_more:
        counter.drained()
        return counted, has_miss, its_activity
    for called, times, place, record in counter.drain_raised():
        function = record if called is None else functions.record_of(getattr(called, "_fun", None))
        if function is not None and not function.library:
            activity = run.activity(function)
            activity.calls_raised += times
            activity.missed(function, times)
            run.call_lines.raised(place, times)
        elif function is None and called is not None:
            run.note_raised_unseen(called, times)
    for handed, _, place, record in counter.drain_handed():
        function = record if handed is None else functions.record_of(getattr(handed, "_fun", None))
        if function is not None and not function.library:
            run.activity(function).handed += 1
            run.call_lines.unseen(place)
    for called in counter.drain_elsewhere():
        function = functions.record_of(getattr(called, "_fun", None))
        if function is not None and not function.library:
            run.called_elsewhere.add((function.name, function.definition))
    counter.drained()
    return counted, has_miss, its_activity


def count_missed_call(
    run: Run,
    functions: Functions,
    hooks: Hooks,
    call: JitCall,
    function: FunctionRecord,
    place: Place | None,
    starts_counter: bool,
) -> FunctionActivity:
    """Count a call that missed, and the calls before it; return the counts of the function that missed.

    Args:
        run: The run of the call.
        functions: The records of all jitted functions.
        hooks: The hooks that reported the miss.
        call: The call.
        function: The record of the called function.
        place: The user's line with the call.
        starts_counter: True if the counter of the run starts with this call.
    """
    is_seen = run.counter.has_counted(call.caller())
    is_credited, has_place, activity = drain(run, functions, hooks, call.fun, function)
    if activity is None:
        activity = run.activity(function)
    if starts_counter or not HAS_MONITORING:  # on Python 3.11 the counter counts only hits, not misses
        activity.called(function, 1)
        run.call_lines.called(place, 1)
        return activity
    if is_seen and is_credited:
        return activity
    run.counter.watch_again()
    # Earlier calls of the same kind may be missing from the counts, because the counter does not watch their place. For
    # calls with tracers the count is exact, because each of them misses.
    is_exact = staging() or call.is_traced()
    if is_exact:
        activity.called(function, 1)
    else:
        activity.calls_missed += 1
    if not (is_seen and has_place):
        run.call_lines.called(place, 1)
        if not is_exact:
            run.call_lines.unseen(place)
    return activity


def _credit_gone(run: Run, record: FunctionRecord | None, times: int, place: Place | None) -> None:
    """Count calls of a jitted function that was deleted; do nothing if its record was deleted, too."""
    if record is None or record.construct is not None or record.library:
        return
    run.call_lines.called(place, times)
    run.activity(record).called(record, times)


def _note_jitted(record: FunctionRecord, called: Any) -> None:
    """Keep a weak reference to the called object in the history of its function.

    JAX reports the number of cache entries only for a result of `jax.jit`.
    """
    if record.history is not None and not record.equinox:
        history, number, _ = record.history
        history.called(number, called)


def _drain_derived(run: Run, called: Any) -> None:
    """Add the program that JAX derived from a jitted function, such as its gradient, to the run.

    JAX calls a derived program through a new function object each time.
    """
    jaxpr = derived_jaxpr(called)
    if jaxpr is None:
        return
    for activity in run.functions.values():
        for program in activity.record.programs.values():
            if program.jaxpr is jaxpr:
                activity.use(program, in_this_run=False)


def take_loose(state: ThreadState, run: Run, hooks: Hooks) -> None:
    """Move the stages that JAX reported outside of every observed call to the run."""
    for event in state.loose:
        if hooks.support.tier == "events":
            run.stage_counts[event.name, event.event] += 1
        elif event.event != COMPILE_EVENT or event.within or event.name in run.ahead:
            continue
        elif len(run.eager) < EAGER_COMPILES:
            run.eager.append(EagerCompile(event.name, event.seconds, event.place))
    state.loose.clear()


def worked_ahead(state: ThreadState, histories: History, history: FunctionHistory, event: LooseEvent) -> None:
    """Count one stage of a function that JAX traced, lowered or compiled without a call."""
    stages = CallStages()
    stages.add(event.event, event.seconds, event.from_disk)
    histories.worked(history, stages)
    if state.run is not None:
        state.run.note_ahead(history.name, history.definition)
        tally = stages.tally()
        state.run.call_lines.compiled(user_place(sys._getframe(1)), tally.compiles)


def count_by_name(run: Run) -> None:
    """Set the numbers of the stages of each function by the function name.

    Used if only JAX's events are observed: an event has no more than the name of the function.
    """
    for activity in run.functions.values():
        name = activity.record.jit_name
        activity.traces = run.stage_counts[name, TRACE_EVENT]
        activity.lowerings = run.stage_counts[name, LOWER_EVENT]
        activity.compiles = run.stage_counts[name, COMPILE_EVENT]


_Drained = tuple[bool, bool, FunctionActivity | None]
