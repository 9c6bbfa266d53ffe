"""Keeps the programs that calls ran, and asks JAX's caches for the lowered and compiled stages of each program.

`replay` asks JAX while the call is still on the stack: JAX's settings (x64, mesh, precision) are then those of the
call, and JAX's caches have the stages. If asking once made JAX compile or lower, the package never asks again for the
same function.
"""

from __future__ import annotations

from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.constructs_outside_jit import traceback_here
from ...jax.facts import COMPILE_EVENT, LOWER_EVENT
from ...jax.missed_calls import DerivedCall, JitCall
from ...jax.nested_jaxprs import called_programs
from ...jax.silent_type_and_value_changes import changed_number
from ..cache.types_and_layouts_of_key import Key
from ..calls.held_or_gone_values import CallValues, copied
from ..calls.repeatable_calls import HeldCall
from ..cell_run import Run
from ..functions.equinox_filter_jit import equinox_call, equinox_wrapper
from ..functions.jitted_functions import FunctionRecord
from ..observation import Place
from ..open_calls import Miss, ThreadState
from ..outside_values.changes_since_trace import ValuesAtTrace
from ..outside_values.values_of_constructs import values_of_construct
from ..reprs_of_users_values import NOTHING_CALLED
from ..stage_times_of_call import CallStages
from .arguments_in_signature import CallShape, shape_of
from .programs_of_misses import KeptProgram, keep, stored_program
from .sentences_above_program import UNFINISHED

_UNDER_TRANSFORMS = 32


def note_call(run: Run | None, call: JitCall, miss: Miss) -> None:
    """Before a call runs, read those data of the call that the record of its program will need."""
    assert call.params is not None
    jaxpr, function, key = call.params["jaxpr"], miss.function, miss.event.key
    wrapper = equinox_wrapper(call.frame) if function.equinox and call.frame is not None else None
    plain = key is not None and wrapper is None and not key.statics
    for program in function.programs.values():
        if program.jaxpr is jaxpr:
            break
    else:
        # The types are read before the call runs: donated arguments cannot be read after the call.
        miss.types = call.types()
        reading = NOTHING_CALLED if run is None else run.reading
        miss.shape = key if plain else shape_of(call.options, call.args, call.kwargs, key, reading)
        miss.equinox = None if wrapper is None else equinox_call(wrapper, call.args, reading)
        if function.construct is not None and run is not None and run.look_before:
            function.at_trace = values_of_construct(function.construct, jaxpr, call.args_flat)
    if run is not None and miss.place is not None and not miss.function.library:
        for leaf in call.args_flat:
            if (changed := changed_number(leaf)) is not None:
                run.changed_numbers.setdefault(miss.place, changed)
                break
    keep = run is not None and run.keep_values
    if run is not None and keep:
        run.hold_last_calls()
    leaves = copied(call.args_flat, call.params.get("donated_invars", ())) if keep else call.args_flat
    miss.values = CallValues(leaves, "compiled", keep)
    if function.pmap:
        return  # JAX's jit inside of pmap receives only the leaves, so the arguments cannot be named
    if plain and key is not None:
        miss.held = HeldCall.plain(call.fun, call.options, key.treedef, key.count)
    # equinox passes the arguments in other groups, so the key does not describe the arguments of the inner jit
    elif wrapper is None and key is not None:
        miss.held = HeldCall.with_statics(call.fun, call.options, key, len(call.args))


def note_program(state: ThreadState, call: JitCall, miss: Miss, executable: Any, ended_at: float) -> None:
    """Keep the program that a call ran."""
    assert call.params is not None
    jaxpr = call.params["jaxpr"]
    program = stored_program(miss.function, jaxpr, executable)
    made_now = miss.stages.has_program
    if program is None:
        program = KeptProgram(
            "ran",
            jaxpr,
            executable,
            shape=miss.shape or _shape_of_same(miss.function, jaxpr),
            in_tree=call.in_tree if not miss.function.pmap else _dynamic_tree(miss.event.key),
            out_tree=call.out_tree,
            donated=tuple(call.params.get("donated_invars", ())),
            equinox=miss.equinox,
            stages=miss.stages.until(ended_at) if made_now else None,
            call=miss.place,
            at_trace=_values_at_trace(miss, jaxpr),
        )
        if miss.function.construct is not None:
            program.construct, program.traceback = miss.function.construct, traceback_here()
        types = miss.types
        replay(
            state,
            miss.function,
            program,
            lambda: call.stages(types if types is not None else call.types(), executable),
        )
    if state.run is not None and miss.values is not None and not miss.function.library:
        # JAX's call still holds the arguments; for most arguments, the work that computes them has ended by now
        miss.values.keep_numbers(only_on_cpu=True)
    program.values, program.held = miss.values, miss.held
    if state.run is not None and state.run.keep_values and miss.values is not None and miss.function.construct is None:
        state.run.kept_calls.missed(call.fun, jaxpr, miss.values)
    if miss.event.key is not None:
        program.add_key(miss.event.key)
    if state.run is not None:
        _note_hits_so_far(state.run, miss)
    keep(miss.function, program)
    if state.run is not None and miss.function.has_several and not miss.function.construct:
        if state.run.hit_programs is not None:
            state.run.hit_programs.start()
    if state.run is not None and state.run.static_hits is not None:
        state.run.static_hits.made_program(miss.function)
    if state.run is not None and state.run.same_keys is not None:
        state.run.same_keys.made_program(miss.function)
    if state.run is not None and state.run.old_value_hits is not None:
        state.run.old_value_hits.made_program(miss.function)
        if miss.function.construct is None:
            state.run.old_value_hits.ran(miss.function, lambda: program, has_traced=bool(miss.stages.traces))
    if miss.activity is not None:
        # the program was stored without an executable while the call had not returned
        unfinished = miss.activity.programs.pop((id(jaxpr), id(None)), None)
        if unfinished is not None:
            program.stages = program.stages or unfinished[0].stages
        if not miss.stages.traces:
            miss.activity.programs_reused[program.key] = program
        miss.activity.use(program, in_this_run=made_now or unfinished is not None)


def _values_at_trace(miss: Miss, jaxpr: Any) -> ValuesAtTrace | None:
    """Return the outside values that the trace of a new program read.

    This call traced the program, or an earlier call made the same jaxpr.
    """
    if miss.function.construct is not None or miss.stages.traces:
        traced: ValuesAtTrace | None = miss.function.at_trace
        run = miss.state.run
        if traced is not None and traced.calls_cached and run is not None:
            traced.take_from(_traces_of_called(run, jaxpr))
        return traced
    return next((program.at_trace for program in miss.function.programs.values() if program.jaxpr is jaxpr), None)


def _traces_of_called(run: Run, jaxpr: Any) -> list[tuple[str, ValuesAtTrace]]:
    """Return (function name, outside values at its trace) for each jitted function whose program `jaxpr` contains."""
    called = {id(program) for program in called_programs(jaxpr)}
    return [
        (activity.record.name, program.at_trace)
        for activity in run.functions.values()
        for program in activity.record.programs.values()
        if program.at_trace is not None and id(program.jaxpr) in called
    ]


def _note_hits_so_far(run: Run, miss: Miss) -> None:
    """Record that all earlier hits of a function ran its only program, before the function gets a second program."""
    activity, function = miss.activity, miss.function
    if activity is None or function.has_several or function.construct is not None or not activity.hits_of(function):
        return
    for program in list(function.programs.values()):
        if program.origin == "ran":
            activity.hits_ran(function, program)


def note_unfinished(call: JitCall, miss: Miss) -> None:
    """Keep the program that JAX made for a call that did not return.

    If a program with the same jaxpr is stored, the run shows the stored program.
    """
    if miss.activity is None or call.params is None:
        return
    jaxpr = call.params["jaxpr"]
    program = next(
        (kept_program for kept_program in reversed(miss.function.programs.values()) if kept_program.jaxpr is jaxpr),
        None,
    )
    if program is None:
        program = KeptProgram(
            "traced",
            jaxpr,
            None,
            shape=miss.shape,
            in_tree=call.in_tree if not miss.function.pmap else _dynamic_tree(miss.event.key),
            out_tree=call.out_tree,
            donated=tuple(call.params.get("donated_invars", ())),
            equinox=miss.equinox,
            stages=miss.stages.stages_only(),
            call=miss.place,
            values=miss.values,
            held=miss.held,
            how="the call did not return",
        )
        if miss.function.construct is not None:
            program.construct = miss.function.construct
        is_lowered = miss.stages.lowerings > 0
        types = miss.types if miss.types is not None else call.types()
        replay(miss.state, miss.function, program, lambda: call.stages_so_far(types, is_lowered))
        keep(miss.function, program)
    miss.activity.use(program, in_this_run=False, note=UNFINISHED.format(name=miss.function.name))


def note_transformed(state: ThreadState, call: JitCall, miss: Miss) -> None:
    """Keep the data of a call with tracers outside of jit, for the programs that JAX will derive from the function."""
    assert call.params is not None
    parent = call.params["jaxpr"]
    while len(state.under_transforms) >= _UNDER_TRANSFORMS:
        del state.under_transforms[next(iter(state.under_transforms))]
    state.under_transforms[miss.function.jit_name or miss.function.name] = (miss.function, parent, miss.place)
    if miss.activity is not None and not any(stages.traces for stages in (miss.stages, *miss.derived)):
        for program in miss.function.programs.values():
            if program.jaxpr is parent:
                miss.activity.programs_reused[program.key] = program


def origin_of(state: ThreadState, name: str) -> tuple[FunctionRecord | None, Any, Place | None, CallStages]:
    """Return the function, the jaxpr and the place from which JAX derived a program, and the stages of the program."""
    for call in reversed(state.stack):
        miss: Miss = call.record
        if miss.function.jit_name == name and not miss.tracing and call.params is not None:
            stages, miss.stages = miss.stages, CallStages()
            miss.stages.started_at = stages.started_at
            miss.derived.append(stages)
            return miss.function, call.params["jaxpr"], miss.place, stages
    origin = state.under_transforms.get(name)
    stages = CallStages()
    if origin is None:
        return None, None, None, stages
    remaining = [event for event in state.loose if event.name != name or event.event not in _AFTER_TRACE]
    for event in state.loose:
        if event.name == name and event.event in _AFTER_TRACE:
            stages.add(event.event, event.seconds, event.from_disk)
    state.loose.clear()
    state.loose.extend(remaining)
    return (*origin, stages)


def note_derived(
    state: ThreadState,
    call: DerivedCall,
    function: FunctionRecord,
    parent: Any,
    place: Place | None,
    stages: CallStages,
) -> KeptProgram:
    """Keep a program that JAX derived from a jitted function and then ran."""
    jaxpr = call.params["jaxpr"]
    is_parent = jaxpr is parent  # JAX ran the function's own program: nothing was derived
    program = stored_program(function, jaxpr, call.executable)
    if program is None:
        program = KeptProgram("ran" if is_parent else "derived", jaxpr, call.executable, parent=parent, call=place)
        program.stages = stages.stages_only()
        replay(state, function, program, call.stages)
    program.values = CallValues(call.args, "last")
    keep(function, program)
    return program


def replay(state: ThreadState, function: FunctionRecord, program: KeptProgram, ask: Any) -> None:
    """Ask JAX's caches for the stages of a program.

    If asking made JAX compile or lower, the package never asks again for this function.
    """
    if not function.replayable:
        return
    state.replaying = True
    state.replay_events = 0
    try:
        program.traced, program.lowered, program.compiled = ask()
    except not_of_a_signal(Exception):
        function.replayable = False
        raise
    finally:
        state.replaying = False
        if state.replay_events:
            function.replayable = False


def _dynamic_tree(key: Key | None) -> Any:
    """Return the structure of a call's arguments from the call's cache key.

    Used for pmap, whose inner jit receives only the flat leaves. Return None if the call has static arguments.
    """
    return None if key is None or key.statics else key.treedef


def _shape_of_same(function: FunctionRecord, jaxpr: Any) -> CallShape | Key | None:
    """Return the parameter names and static arguments from the newest kept program with the same jaxpr.

    They are missing in a call for which JAX only made another executable, such as for another device. Return None if no
    program has this jaxpr.
    """
    return next((program.shape for program in reversed(function.programs.values()) if program.jaxpr is jaxpr), None)


_AFTER_TRACE = frozenset({LOWER_EVENT, COMPILE_EVENT})
