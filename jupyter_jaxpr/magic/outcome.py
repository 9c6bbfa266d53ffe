"""What was observed of a cell in; the traces of our own that it asks for, findings, and a message where nothing shows.

The rules are those of the README: the jitted functions that were called, as they ran; else the last call, traced after
the cell has run; else a sentence that says what was seen and what to type.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..explain.dropped_updates import dropped_updates
from ..explain.errors.explained import explained, is_of_call, raised_error, trace_error
from ..explain.errors.explanation import Explained
from ..explain.frozen_calls import frozen_values
from ..explain.leaks import leaked_tracers
from ..explain.stale_values import stale_values
from ..explain.unblocked import unblocked_timings
from ..explain.untold_changes import promoted_carries, truncated_types, unused_donations
from ..interruptions import not_of_a_signal
from ..jax.dispatches import only_program
from ..jax.facts import imported, is_jitted
from ..jax.held_traces import held_trace
from ..jax.uncalled_traces import jitted_as_by_make_jaxpr
from ..observe.cache.ledger_table import not_counted
from ..observe.functions import code_of, is_of_jax, is_users, name_of
from ..observe.observation import Finding, Observation, ObservedFunction, Place
from ..observe.own_traces import OwnTrace, has_arrays, returned_arrays, trace_call
from ..observe.raised_traces import add_raised, raised_in
from ..observe.recording import Recording
from ..observe.retrace import CallGone, HeldCallForTrace, Retrace, deciding
from ..observe.run import Run
from ..observe.side_effects.effect import SideEffect
from ..observe.side_effects.guard import EffectsError, place_text
from ..observe.side_effects.proof import side_effects
from ..plain_text import error_lines, error_text, file_of, kind_name, message_of, traceback_text
from ..quantities import count, duration
from ..typed.specs import SpecError
from .cells_without_program import no_python
from .compare_option import compare_named
from .read_names import may_be_read
from .sweep_option import sweep_named

if TYPE_CHECKING:
    from ..measure.compare.variants import Report
    from ..measure.times.sweep import Sweep
    from ..observe.observer import Observer
    from ..typed.cell import LastCall
    from .active import Active
    from .options import Options

_AHEAD = "To see the program, call the jitted function itself, or write %jaxpr f(x)."
WHAT_TO_TYPE = (
    "Call a function under @jax.jit in the cell, end the cell with a call such as f(x), or write %%jaxpr f(x) or "
    "%%jaxpr f(f32[8])."
)
_NOT_TRACED = (
    "{name} ran without jit and was not traced, because a trace runs the Python of {name} a second time. "
    "{place} {what}. {cure}"
)
_UNDER_JIT_OR_BY_NAME = "To see the program, call {name} under jax.jit, or write %jaxpr {call}."
_ONLY_UNDER_JIT = "To see the program, call {name} under jax.jit."
_CALL_GONE = "{name} or one of its arguments no longer exists. Run the cell again."
_UNDER_JIT = "Call the function under jax.jit to see the program that runs."


def complete(
    observer: Observer,
    namespace: dict[str, Any],
    active: Active,
    observation: Observation,
    error: BaseException | None,
    auto_trace: bool,
) -> str | None:
    """Add to an observation what the options and the rules ask for.

    Returns:
      A message where there is no program to show: what was seen, and what to type.
    """
    tier = observer.hooks.support
    if tier.tier == "none":
        return tier.note
    message = None
    if imported():
        _find(observation, lambda: leaked_tracers(active.run.traced_functions))
        _find(observation, lambda: stale_values(active.run))
        _find(observation, lambda: frozen_values(active.run.frozen_calls.found.values()))
        _find(observation, lambda: truncated_types(active.run.truncated))
        _find(observation, lambda: promoted_carries(active.run.promoted))
        _find(observation, lambda: list(unused_donations(active.run.unused_donations)))
        _find(observation, lambda: dropped_updates(active.cell.source, active.cell.file))
        if error is None:
            _find(
                observation,
                lambda: unblocked_timings(active.cell.source, active.cell.file, namespace, observation),
            )
        if error is not None:
            _find(observation, lambda: add_raised(observation.functions, error))
        if isinstance(error, Exception):
            # A call that raised earlier, and whose error the cell caught, did not end the cell.
            raised = [each.name for each in observation.functions if each.raised and is_of_call(error, each.name)]
            _find(observation, lambda: _raised(error, raised[-1] if raised else None))
        if active.options.compare:
            if error is not None:
                message = "The cell raised an error, so nothing was compared. Correct the cell and run it again."
            else:
                active.comparison, message = compare_named(
                    observer, namespace, active.options, observation, "%%jaxpr", active.last
                )
                if active.options.sweep is not None and active.comparison is not None:
                    if active.comparison.stopped is None:
                        active.sweep, message = sweep_named(
                            observer, namespace, active.options, observation, active.heartbeat.say, None
                        )
        elif active.options.sweep is not None:
            if error is not None:
                message = "The cell raised an error, so the sweep did not run. Correct the cell and run it again."
            else:
                active.sweep, message = sweep_target(
                    observer, namespace, active.options, observation, "%%jaxpr", active.heartbeat.say
                )
        elif active.options.target is not None:
            message = trace_target(observer, namespace, active.options, observation, "%%jaxpr")
        else:
            wanted = auto_trace and active.options.trace
            if error is None:
                message = no_python(active.cell.source)
                message = message or _trace_last(observer, namespace, active, observation, wanted)
            _add_recorded(observation, active, message if wanted else None)
    shows_cell = False
    if not any(function.programs for function in observation.functions):
        message = message or _nothing(namespace, active, observation, error)
        shows_cell = _add_cell(observation, active, _CALLED_NONE if message in _RAN_NO_PROGRAM else message)
        if active.recorded_cell.is_checked:
            message = f"{message} {_CHECKED}"
    elif active.options.eager:
        shows_cell = _add_cell(observation, active, None)
    if any(function.programs for function in observation.functions):
        _add_libraries(observation, active.run, None if shows_cell else active.recorded_cell.recording)
    if active.options.focus is not None:
        _focus(observation, active.options.focus)
    return None if any(function.programs for function in observation.functions) else message


def _focus(observation: Observation, name: str) -> None:
    """Show the program that the user asked for by name."""
    named = [function for function in [*observation.libraries, *observation.functions] if function.programs]
    chosen = [each for each in named if each.name == name] or [each for each in named if each.name.startswith(name)]
    if chosen:
        programs = chosen[-1].programs
        observation.focus = ([each for each in programs if each.origin != "recorded"] or programs)[-1]
        return
    names = ", ".join(dict.fromkeys(function.name for function in named)) or "none"
    observation.findings.append(
        Finding("focus", f"--focus {name}: the run has no program of {name}. Its programs are: {names}.")
    )


def _raised(error: Exception, function: str | None) -> list[Finding]:
    """Why the cell raised; `function` is the user's jitted function whose call did."""
    found = raised_error(error, raised_in(error)) if function is None else trace_error(error, function)
    return [] if found is None else [found]


def _find(observation: Observation, look: Callable[[], Sequence[Finding] | None]) -> None:
    """Add what is found; a look that fails hides nothing else."""
    try:
        observation.findings.extend(look() or ())
    except not_of_a_signal(Exception) as error:
        observation.failures.append(traceback_text(error))


# --- a target ----------------------------------------------------------------------------------------------


def sweep_target(
    observer: Observer,
    namespace: dict[str, Any],
    found: Options,
    observation: Observation,
    magic: str,
    report: Report,
) -> tuple[Sweep | None, str | None]:
    """Sweep over the target that the magic's line names, and show its program at the first value."""

    def trace(scope: dict[str, Any], at: Options) -> str | None:
        return trace_target(observer, scope, at, observation, magic)

    return sweep_named(observer, namespace, found, observation, report, trace)


def trace_target(
    observer: Observer, namespace: dict[str, Any], found: Options, observation: Observation, magic: str
) -> str | None:
    """Trace what the magic's line names; a mistake that shows only now is a finding and the message."""
    target = found.target
    assert target is not None
    tier = observer.hooks.support
    if tier.tier == "none":
        return tier.note
    try:
        fun = target.function(namespace)
        args, kwargs = target.arguments(namespace)
    except not_of_a_signal(Exception) as error:
        return _cannot(observation, target.text, _why_not(error, target.text, magic))
    if not callable(fun):
        return _cannot(
            observation,
            target.text,
            f"{target.function_text} is a {kind_name(type(fun))}, not a function. Write the name of a function.",
        )
    observer.hooks.ensure()
    fun = jitted_as_by_make_jaxpr(fun)
    note = f"Traced for {magic} {target.text}. Nothing was executed."
    if target.takes_values:
        note = f"Traced for {magic} {target.text}. The arguments were evaluated; the function was not executed."
    if found.stage == "run":
        note = f"Traced, compiled and run once for {magic} {target.text} --stage run."
    elif found.time:
        note = f"Traced, compiled and run for {magic} {target.text} --time."
    stage = found.stage or ("run" if found.time else "trace")
    own = trace_call(observer, fun, args, kwargs, note, stage, found.keeps_values)
    _add(observation, own, focus=True)
    if isinstance(own.error, EffectsError):
        return _refused(observation, own.error)
    if own.error is not None:
        return _cannot(observation, target.text, _trace_error(name_of(fun), own.error), own.error)
    return None


def _cannot(observation: Observation, text: str, why: str, error: BaseException | None = None) -> str:
    message = f"'{text}' could not be traced. {why}"
    known = explained(error, text.partition("(")[0]) if error is not None else Explained(None)
    observation.findings.append(
        Finding(
            kind="target",
            text=f"{message} {known.text}".rstrip(),
            detail=error_lines(error) if error is not None else None,
            place=known.place,
            title=known.title,
            cures=known.cures,
        )
    )
    return message


def _refused(observation: Observation, error: EffectsError) -> str:
    """Say that a trace was not made, for what it does cannot be undone."""
    message = f"{error} {_UNDER_JIT}"
    effect = error.effect
    place = Place(effect.file, effect.line, effect.function) if effect.line else None
    observation.findings.append(Finding("not_traced", message, place=place))
    return message


def _why_not(error: Exception, text: str, magic: str) -> str:
    if isinstance(error, NameError) and error.name:
        return f"{error.name} is not defined. Define {error.name} in this cell or in an earlier one."
    if isinstance(error, SpecError):
        return str(error)
    return f"The arguments of the call raised {error_text(error)}. Correct the call after {magic}."


# --- the last call -----------------------------------------------------------------------------------------


_OF_A_CALL = ("ran", "seen_before")
_SLOW_CALL = 0.5
"""Seconds: after an assignment, a call that took longer is not traced unasked, as its trace may take longer still."""
_READS_TARGET = (
    "{name} was not traced. The cell assigned to {names} after the call, and a function of the notebook reads {names}. "
    "To see the program that runs, call {name} under jax.jit."
)
_SLOW = "{name} ran without jit for {took} and was not traced. To see the program, write %jaxpr {call}."
_COMPILED_BEFORE = (
    "JAX compiled {names} before %load_ext jupyter_jaxpr, so the program is not known. To see the program, write "
    "%jaxpr {call}."
)


def _trace_last(
    observer: Observer, namespace: dict[str, Any], active: Active, observation: Observation, wanted: bool
) -> str | None:
    """Trace the cell's last call, where no program ran as the user wrote it."""
    last = active.last
    called = [function for function in observation.functions if not function.construct]
    construct = _construct_called(observation, active)
    if construct is not None:
        observation.focus = construct.programs[-1] if construct.programs else None
        return None if construct.programs else _COMPILED_BEFORE.format(names=construct.name, call=last.text)
    if any(program.origin in _OF_A_CALL for function in called for program in function.programs):
        return None
    if not last.returned or last.text.startswith(("%", "!")):  # a magic, or a command of the shell
        return None
    fun, name = last.function, name_of(last.function)
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
        note = "Compiled before the extension was loaded. This is the program that JAX holds for the cell's last call."
        if observer.hooks.support.tier != "hooks":
            note = "This is the program that JAX holds for the cell's last call."
        elif not any(called is fun for called in active.run.unseen):
            return None
        with observer.looking_away():
            held = held_trace(fun, last.args, last.kwargs)
        effects = () if held is not None else _effects(last)
        if effects:
            place, what = place_text(effects[0], active.cell.file), effects[0].text
            return (
                f"JAX holds no trace of {last.text}, and {name} was not traced again, because a trace runs the Python "
                f"of {name}. {place} {what}. To trace the call, write %jaxpr {last.text}."
            )
    else:
        why = _not_traceable(last)
        if why is not None:
            # Of a cell whose last call waits for a thread, `_nothing` names what the thread called.
            in_threads = active.run.ledger is not None and active.run.ledger.elsewhere
            return None if in_threads else why
        if not wanted:
            return f"{name} is not jitted, and tracing is turned off. To trace the call, write %jaxpr {last.text}."
        effects = _effects(last)
        if effects:
            return _offer(active, observation, deciding(effects))
        note = (
            f"jupyter_jaxpr traced this program: the cell called {name} without jit, so JAX ran {name} operation by "
            f"operation. For the trace, the Python of {name} ran a second time, with tracers in place of arrays."
        )
        if any(function.programs for function in observation.functions):
            note = f"jupyter_jaxpr traced the whole call {last.text}, which JAX did not compile as one program."
    own = trace_call(
        observer,
        fun,
        last.args,
        last.kwargs,
        note,
        keep_values=active.options.keeps_values,
        at=_place_of_call(active),
        reading=active.run.reading,
    )
    return _added(observation, own, name)


def _add_cell(observation: Observation, active: Active, message: str | None) -> bool:
    """Add what JAX ran for the cell, operation by operation; whether that was anything."""
    number = active.cell.execution_count
    function = active.recorded_cell.function("cell" if number is None else f"cell [{number}]", message)
    if function is not None:
        observation.functions.append(function)
        if active.options.eager:
            observation.focus = function.programs[0]
    return function is not None


def _add_libraries(observation: Observation, run: Run, hidden: Recording | None) -> None:
    """Add what libraries jitted and ran, but for what a recording in view holds.

    Args:
        observation: Of the cell.
        run: Likewise.
        hidden: The recording of the cell, where it is not in view.
    """
    found = [function for function, recording in run.library_programs if recording is None or recording is hidden]
    observation.libraries += found
    if found and run.library_programs_left_out:
        more = count(run.library_programs_left_out, "more program", "more programs")
        text = f"Libraries made {more} in this run. The list of programs holds the first {len(run.library_programs)}."
        observation.findings.append(Finding("library_programs", text))


def _add_recorded(observation: Observation, active: Active, message: str | None) -> None:
    """Add the calls of the last statement that were recorded while they ran, each beside its trace.

    Args:
        observation: Of the cell.
        active: The cell.
        message: Why the last call was not traced: it stands with the last recording where nothing else is shown.
    """
    functions = observation.functions
    shown = {id(program.jaxpr) for function in functions for program in function.programs}
    for function, is_wrapper in active.recorded.functions(active.cell.file, active.run.reading):
        only = only_program(function.programs[0].jaxpr)
        if only is not None and id(only) in shown:
            continue  # the call did nothing else than to call a jitted function
        if is_wrapper and _ran_as_one(function, observation):
            continue
        traced = next((each for each in functions if _is_traced(each, function)), None)
        if traced is None:
            functions.append(function)
        else:  # where the recording stands: in the order of the calls
            functions.remove(traced)
            for program in traced.programs:
                program.how = program.how or _AS_JIT
            functions.append(replace(traced, programs=[*traced.programs, *function.programs]))
    observation.findings += [Finding("not_recorded", text) for text in active.recorded.not_recorded]
    called = [function for function in functions if function.programs]
    recorded = [program for function in called for program in function.programs if program.origin == "recorded"]
    if recorded and not shown and message is not None:
        if not any(finding.kind == "not_traced" for finding in observation.findings):
            recorded[-1].origin_note = f"{recorded[-1].origin_note} {message}"
    if observation.focus is None and recorded:
        if all(function.construct or function.programs[0].origin == "recorded" for function in called):
            observation.focus = recorded[-1]


_AS_JIT = "as jit would trace it"


def _is_traced(known: ObservedFunction, recorded: ObservedFunction) -> bool:
    """Whether a function is the recorded one, as a trace of ours shows it."""
    return (known.name, known.definition) == (recorded.name, recorded.definition) and all(
        program.origin in ("traced", "recorded") for program in known.programs
    )


def _ran_as_one(function: ObservedFunction, observation: Observation) -> bool:
    """Whether JAX ran a function as one program that `jax.jit` did not return: of pmap, of another library."""
    return any(
        (known.name, known.definition) == (function.name, function.definition)
        and any(program.origin in _OF_A_CALL for program in known.programs)
        for known in observation.functions
    )


def _construct_called(observation: Observation, active: Active) -> ObservedFunction | None:
    """The construct that the cell's last call is, such as `lax.scan(step, init, xs)`."""
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


def _place_of_call(active: Active) -> Place:
    last = active.last
    return Place(active.cell.file, last.line, "<module>", last.column, last.end_line, last.end_column)


def _effects(last: LastCall) -> tuple[SideEffect, ...]:
    return side_effects(last.function, last.args, last.kwargs)


def _offer(active: Active, observation: Observation, effect: SideEffect) -> str:
    """Say which line keeps the last call from being traced, and let the panel offer to trace it."""
    last = active.last
    name = name_of(last.function)
    held = HeldCallForTrace(last.function, last.args, last.kwargs)
    observation.retrace = Retrace(name, last.text, effect, held, _place_of_call(active))
    cure = _ONLY_UNDER_JIT if observation.retrace.allows_effects else _UNDER_JIT_OR_BY_NAME
    message = _NOT_TRACED.format(
        name=name,
        place=place_text(effect, active.cell.file),
        what=effect.text,
        cure=cure.format(name=name, call=last.text),
    )
    place = Place(effect.file, effect.line, effect.function) if effect.line else None
    observation.findings.append(Finding("not_traced", message, function=name, place=place))
    return message


def trace_again(observer: Observer, observation: Observation, keep_values: bool) -> str | None:
    """Trace the call of an offer, because the user pressed the button.

    Returns:
      A message where there is no program to show. Beside a recording of the call, the message is a note.
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
    own = trace_call(
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
    if isinstance(own.error, EffectsError) and not offer.allows_effects:
        observation.retrace = replace(offer, effect=own.error.effect)
        return str(own.error)
    return _added(observation, own, offer.name)


def _added(observation: Observation, own: OwnTrace, name: str) -> str | None:
    """Add what a trace of the last call gave; a message where the trace raised."""
    _add(observation, own, focus=True)
    if own.error is not None:
        known = explained(own.error, name)
        text = f"{name} ran, but cannot be traced. {_trace_error(name, own.error)}"
        observation.findings.append(
            Finding(
                "untraceable",
                f"{text} {known.text}".rstrip(),
                cure="To turn this trace off, write %%jaxpr --no-trace.",
                detail=error_lines(own.error),
                function=name,
                place=known.place,
                title=known.title,
                cures=known.cures,
            )
        )
        return text
    return None


def _not_traceable(last: Any) -> str | None:
    """Why a last call is not worth a second run: it does not compute with JAX."""
    import jax

    fun, name = last.function, name_of(last.function)
    kind = type(fun)  # the object itself may be a proxy, whose `__class__` is code of the user's
    if issubclass(kind, jax.stages.Compiled):
        return f"{last.text} calls a function that was compiled ahead of time, by .lower().compile(). {_AHEAD}"
    if issubclass(kind, type | types.BuiltinFunctionType):
        return f"The cell ends with a call of {name}, which is not a function that JAX can trace. {WHAT_TO_TYPE}"
    if not has_arrays(last.args, last.kwargs):
        return (
            f"The cell ends with {last.text}. The call has no array among its arguments, so it was not traced. "
            f"{WHAT_TO_TYPE}"
        )
    if not returned_arrays(last.result):
        return (
            f"The cell ends with {last.text}. The call returned no JAX array, so it was not traced. To trace the call "
            f"anyway, write %jaxpr {last.text}."
        )
    return None


def _add(observation: Observation, own: OwnTrace, focus: bool) -> None:
    observation.printed.extend(own.printed)
    if own.function is None or own.program is None:
        return
    for function in observation.functions:
        for program in function.programs:
            if program.jaxpr is own.program.jaxpr:  # it is the one that ran
                observation.focus = program
                return
    same = [function for function in observation.functions if function.name == own.function.name]
    if same and same[0].definition == own.function.definition and not same[0].programs:
        same[0].programs.append(own.program)
    else:
        observation.functions.append(own.function)
    if focus:
        observation.focus = own.program


# --- texts -------------------------------------------------------------------------------------------------


def _nothing(namespace: dict[str, Any], active: Active, observation: Observation, error: BaseException | None) -> str:
    is_unsure = not active.run.counted or active.run.counter.lost is not None
    if is_unsure and isinstance(error, KeyboardInterrupt):
        return "The cell was interrupted, and no program of the cell is known. Run the cell again to see the program."
    if is_unsure and error is not None:
        return f"The cell raised {kind_name(type(error))}, and no program of the cell is known. {_CORRECT}"
    if isinstance(error, KeyboardInterrupt):
        return "The cell was interrupted before a jitted function ran. Run the cell again to see the program."
    if error is not None:
        kind = kind_name(type(error))
        return f"The cell raised {kind} before a jitted function ran. {_CORRECT}"
    unseen = [called for called in active.run.unseen if not is_of_jax(called)]
    if unseen:
        names = ", ".join(dict.fromkeys(name_of(called) for called in unseen[:5]))
        return (
            f"The cell called {names} and reused a program that JAX compiled before %load_ext jupyter_jaxpr, so the "
            "program is not known. Load the extension before the first call, or write %%jaxpr f(x)."
        )
    if active.run.ahead:
        names = ", ".join(sorted(active.run.ahead)[:5])
        how = "(by .trace, .lower or jax.make_jaxpr)"
        return f"The cell only traced or lowered {names} ahead of time {how} and did not call it. {_AHEAD}"
    inlined = [function.name for function in observation.functions if not function.top_level]
    if inlined:
        return (
            f"The cell called {', '.join(inlined[:5])} only while JAX traced another program, such as that of "
            f"jax.make_jaxpr. The call became a part of that program. {WHAT_TO_TYPE}"
        )
    raised = [function.name for function in observation.functions if function.raised]
    if raised:
        return (
            f"The call of {', '.join(raised[:5])} raised an error, and the cell caught the error, so no program is "
            "known. Remove the code that catches the error, and run the cell again to see the error."
        )
    constructs = [function.name for function in observation.functions if function.construct]
    if constructs:
        return (
            f"JAX compiled {', '.join(constructs[:5])} before %load_ext jupyter_jaxpr, so the program is not known. "
            "Load the extension before the first call."
        )
    called = [function.name for function in observation.functions]
    if called:
        return f"The cell called {', '.join(called[:5])}, but no program is known. Run the cell again."
    if active.run.ledger is not None and active.run.ledger.elsewhere:
        return not_counted(active.run.ledger.elsewhere)
    if is_unsure:
        return f"{_NOT_KNOWN} {active.run.calls_note()} {WHAT_TO_TYPE}"
    uncalled = _jitted_here(namespace, active.cell.file)
    if uncalled:
        name = uncalled[0]
        return (
            f"The cell defines the jitted function {name} and does not call it. Call {name}, or write "
            f"%jaxpr {name}(f32[8])."
        )
    return _RAN_NO_PROGRAM[0] if observation.eager_compiles else _RAN_NO_PROGRAM[1]


_CORRECT = "Correct the cell and run it again."
_NOT_KNOWN = "No program of the cell is known: calls that reuse a program were not seen."
_CALLED_NONE = f"The cell called no jitted function. {WHAT_TO_TYPE}"
_CHECKED = "JAX checks each result for NaN (jax_debug_nans), so jupyter_jaxpr recorded nothing of what ran."
_RAN_NO_PROGRAM = (
    f"The cell ran JAX operation by operation and called no jitted function. {WHAT_TO_TYPE}",
    f"The cell ran no program that JAX compiled. {WHAT_TO_TYPE}",
)


def _jitted_here(namespace: dict[str, Any], file: str) -> list[str]:
    """Names of jitted functions whose def is in the cell."""
    found = []
    for name, value in list(namespace.items()):
        if is_jitted(value) and not name.startswith("_"):
            code = code_of(value)
            if code is not None and file_of(code) == file:
                found.append(name)
    return found


def _trace_error(name: str, error: BaseException) -> str:
    first = message_of(error).strip().splitlines()
    return f"Tracing {name} raised {kind_name(type(error))}: {first[0] if first else ''}"
