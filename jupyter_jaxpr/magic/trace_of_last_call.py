"""Traces the last call of a cell after the cell has run, if the call ran without jit.

For the trace, the Python of the function runs a second time. If it has side effects, the user gets an offer to trace
the call instead.
"""

from __future__ import annotations

import ast
import types
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..jax.facts import is_jitted
from ..jax.held_traces import held_trace
from ..observe.functions.function_inside_wrappers import code_of, name_of
from ..observe.observation import Finding, Observation, ObservedFunction, Place
from ..observe.outside_jit.function_of_transform_call import called_function
from ..observe.own_traces.question_before_trace import CallGone, HeldCallForTrace, Retrace, deciding
from ..observe.own_traces.trace_of_call import has_arrays, returned_arrays, trace_call
from ..observe.side_effects.proof import side_effects
from ..observe.side_effects.refused_and_undone_traces import EffectsError, effect_text
from ..observe.side_effects.side_effect import SideEffect
from ..observe.user_or_library.library_functions import is_of_jax, is_users
from ..observe.user_or_library.whose_code import is_installed
from ..plain_text import file_of
from ..quantities import duration
from .cells_without_program import CALL_IT_ITSELF, COMPILED_BEFORE, WHAT_TO_TYPE, called_compiled_before
from .names_read_by_notebook import may_be_read
from .programs_of_own_traces import program_or_message
from .sentences_on_traced_programs import name_by_called, traced_after

if TYPE_CHECKING:
    from ..observe.observer import Observer
    from ..typed.observed_cell import LastCall
    from .cell_states import ActiveCell

_NOT_TRACED = (
    "{name} ran without jit and was not traced, because a trace runs the Python of {name} a second time. "
    "{effect} {cure}"
)
_UNDER_JIT_OR_BY_NAME = "To see the program, call {name} under jax.jit, or write %jaxpr {call}."
_ONLY_UNDER_JIT = "To see the program, call {name} under jax.jit."
_CALL_GONE = "{name} or one of its arguments no longer exists. Run the cell again."
ORIGINS_OF_CALLS = ("ran", "seen_before")
_SLOW_CALL = 0.5
"""Seconds. After an assignment, a slower call is not traced without a request: the trace may take even longer."""
_READS_TARGET = (
    "{name} was not traced. The cell assigned to {names} after the call, and a function of the notebook reads {names}. "
    "To see the program that runs, call {name} under jax.jit."
)
_LONGEST_NAME = 60
_SLOW = "{name} ran without jit for {took} and was not traced. To see the program, write %jaxpr {call}."
_COMPILED_BEFORE = f"{COMPILED_BEFORE} To see the program, write %jaxpr {{call}}."


def trace_last_call(
    observer: Observer, namespace: dict[str, Any], active: ActiveCell, observation: Observation, is_wanted: bool
) -> str | None:
    """Trace the cell's last call, unless it ran a jitted program; return a message if there is no trace."""
    last = active.last
    called = [function for function in observation.functions if not function.construct]
    construct = _construct_called(observation, active)
    if construct is not None:
        observation.focus = construct.programs[-1] if construct.programs else None
        return None if construct.programs else _COMPILED_BEFORE.format(names=construct.name, call=last.text)
    if any(program.origin in ORIGINS_OF_CALLS for function in called for program in function.programs):
        return None
    # IPython has rewritten a magic or a shell command into a call, which is not the user's
    if not last.returned or last.text.startswith(("%", "!")):
        return None
    fun, name = last.function, called_function(last.function, last.args).name
    if last.is_part and not is_users(fun):
        return None
    if last.targets and may_be_read(last.targets, namespace):
        names = ", ".join(sorted(last.targets))
        return _READS_TARGET.format(name=name, names=names)
    if last.is_part and last.seconds > _SLOW_CALL and not is_jitted(fun):
        return _SLOW.format(name=name, took=duration(last.seconds), call=last.text)
    if not last.is_known:
        return (
            f"The call {last.text} was not traced: reading the values behind the star would run your code a second "
            f"time. To trace the call, put the values into a tuple first: args = tuple(...), then {name}(*args)."
        )
    jitted = is_jitted(fun)
    if jitted:
        note = (
            "JAX compiled this program before the extension was loaded, and holds the program for the cell's last call."
        )
        if observer.hooks.support.tier != "hooks":
            note = "This is the program that JAX holds for the cell's last call."
        elif not any(unseen_function is fun for unseen_function in active.run.unseen) and not _was_compiled_before(
            observer, fun
        ):
            return None
        with observer.looking_away():
            trace_of_jax = held_trace(fun, last.args, last.kwargs)
        effects = () if trace_of_jax is not None else _effects(last)
        if effects:
            effect = effect_text(effects[0], active.cell.file)
            return (
                f"JAX holds no trace of {last.text}, and {name} was not traced again, because a trace runs the Python "
                f"of {name}. {effect} To trace the call, write %jaxpr {last.text}."
            )
    else:
        why = _not_traceable(last)
        if why is not None:
            # If the last call waits for a thread that called a jitted function, `why_no_program` names this function.
            in_threads = active.run.ledger is not None and active.run.ledger.elsewhere
            return None if in_threads or called_compiled_before(active, observation) else why
        if not is_wanted:
            return f"{name} is not jitted, and tracing is turned off. To trace the call, write %jaxpr {last.text}."
        effects = _effects(last)
        if effects:
            return _offer(active, observation, deciding(effects))
        note = traced_after(last, name)
        if any(function.programs for function in observation.functions):
            note = f"jupyter_jaxpr traced the whole call {last.text} as jit would trace it: the call ran without jit."
    trace = trace_call(
        observer,
        fun,
        last.args,
        last.kwargs,
        note,
        keep_values=active.options.keeps_values,
        at=_place_of_call(active),
        reading=active.run.reading,
    )
    name_by_called(trace, last)
    return program_or_message(observation, trace, name)


def _construct_called(observation: Observation, active: ActiveCell) -> ObservedFunction | None:
    """Return the construct that the cell's last call ran, such as `lax.scan(step, init, xs)`; None if it ran none."""
    last = active.last
    if not last.returned or not is_of_jax(last.function):
        return None
    lines = range(last.line, last.end_line + 1)
    for function in reversed(observation.functions):
        if function.construct and function.name.startswith(name_of(last.function)):
            place = function.called_at
            if place is not None and place.file == active.cell.file and place.line in lines:
                return function
    return None


def _place_of_call(active: ActiveCell) -> Place:
    last = active.last
    return Place(active.cell.file, last.line, "<module>", last.column, last.end_line, last.end_column)


def _effects(last: LastCall) -> tuple[SideEffect, ...]:
    return side_effects(last.function, last.args, last.kwargs)


def _offer(active: ActiveCell, observation: Observation, effect: SideEffect) -> str:
    """Store the offer to trace the last call; return a sentence with the side effect that prevented the trace."""
    last = active.last
    name = _written_name(last)
    call_for_trace = HeldCallForTrace(last.function, last.args, last.kwargs)
    observation.retrace = Retrace(name, last.text, effect, call_for_trace, _place_of_call(active))
    cure = _ONLY_UNDER_JIT if observation.retrace.allows_effects else _UNDER_JIT_OR_BY_NAME
    message = _NOT_TRACED.format(
        name=name,
        effect=effect_text(effect, active.cell.file),
        cure=cure.format(name=name, call=last.text),
    )
    place = Place(effect.file, effect.line, effect.function) if effect.line else None
    observation.findings.append(Finding("not_traced", message, function=name, place=place))
    return message


def _written_name(last: LastCall) -> str:
    """Return the name of the called function.

    For a wrapper that a library made, such as `grad_wrapper`, return the called expression in the cell.
    """
    name = name_of(last.function)
    code = code_of(last.function)
    if type(last.function) is not types.FunctionType or code is None or not is_installed(file_of(code)):
        return name
    try:
        call = ast.parse(last.text, mode="eval").body
    except SyntaxError:
        return name
    written = ast.unparse(call.func) if isinstance(call, ast.Call) else name
    return name if name in written or len(written) > _LONGEST_NAME else written


def trace_again(observer: Observer, observation: Observation, keep_values: bool) -> str | None:
    """Trace the call of an offer, after the user has confirmed.

    Returns:
      A message if there is no program to show; if there is a recording of the call, the message becomes a note.
    """
    offer: Retrace = observation.retrace
    message = _offer_traced(observer, observation, offer, keep_values)
    if message is None or not any(function.programs for function in observation.functions):
        return message
    if not any(finding.kind == "not_traced" for finding in observation.findings):
        observation.findings.append(Finding("not_traced", message, function=offer.name))
    return None


def _offer_traced(observer: Observer, observation: Observation, offer: Retrace, keep_values: bool) -> str | None:
    observation.retrace = None
    observation.findings = [finding for finding in observation.findings if finding.kind != "not_traced"]
    try:
        fun, args, kwargs = offer.call.call()
    except CallGone:
        return _CALL_GONE.format(name=offer.name)
    note = f"You asked for this trace: the Python of {offer.text} ran a second time, with tracers in place of arrays."
    trace = trace_call(
        observer,
        fun,
        args,
        kwargs,
        note,
        keep_values=keep_values,
        at=offer.at,
        reading=observation.reading,
        allow_effects=offer.allows_effects,
    )
    if isinstance(trace.error, EffectsError) and not offer.allows_effects:
        observation.retrace = replace(offer, effect=trace.error.effect)
        return str(trace.error)
    return program_or_message(observation, trace, offer.name)


def _was_compiled_before(observer: Observer, fun: Any) -> bool:
    """Return whether JAX compiled a program of a jitted function before this package observed the function."""
    record = observer.functions.record_of(getattr(fun, "_fun", None))
    return record is not None and record.compiled_before


def _not_traceable(last: Any) -> str | None:
    """Return a sentence on why a trace of the last call would show nothing, for example because it does not use JAX.

    None if a trace would show something.
    """
    import jax

    fun, name = last.function, name_of(last.function)
    kind = type(fun)  # type() rather than `__class__`: the object may be a proxy whose `__class__` runs user code
    if issubclass(kind, jax.stages.Compiled):
        return f"{last.text} calls a function that was compiled ahead of time, by .lower().compile(). {CALL_IT_ITSELF}"
    if issubclass(kind, type | types.BuiltinFunctionType):
        return f"The cell ends with a call of {name}, which is not a function that JAX can trace. {WHAT_TO_TYPE}"
    if not has_arrays(last.args, last.kwargs):
        return (
            f"The cell ends with {last.text}. The call has no array among its arguments, so the call was not traced. "
            f"{WHAT_TO_TYPE}"
        )
    if not returned_arrays(last.result):
        return (
            f"The cell ends with {last.text}. The call returned no JAX array, so the call was not traced. To trace the "
            f"call anyway, write %jaxpr {last.text}."
        )
    return None
