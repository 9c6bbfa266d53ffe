"""Traces or sweeps the target in the magic's line, such as `f(x)` in `%jaxpr f(x)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..explain.errors.cell_error import explained
from ..explain.errors.explanation import Explained
from ..interruptions import not_of_a_signal
from ..jax.functions_that_only_trace import jitted_as_by_make_jaxpr
from ..measure.compare.named_function import UNDEFINED_NAME
from ..observe.functions.function_inside_wrappers import name_of
from ..observe.observation import Finding, Observation, Place
from ..observe.own_traces.trace_of_call import trace_call
from ..observe.side_effects.refused_and_undone_traces import EffectsError
from ..plain_text import error_lines, error_text, kind_name
from ..typed.targets_and_array_types import SpecError
from .cells_without_program import UNDER_JIT
from .programs_of_own_traces import add_program
from .sentences_on_traced_programs import trace_error_sentence, traced_for_magic
from .sweep_of_named_values import sweep_named

if TYPE_CHECKING:
    from ..measure.compare.compared_functions import Report
    from ..measure.times.sweep_run import Sweep
    from ..observe.observer import Observer
    from .magic_line_options import Options


def sweep_target(
    observer: Observer,
    namespace: dict[str, Any],
    chosen: Options,
    observation: Observation,
    magic: str,
    report: Report,
) -> tuple[Sweep | None, str | None]:
    """Run a sweep over the target in the magic's line, and add the program at the first value."""

    def trace(scope: dict[str, Any], at: Options) -> str | None:
        return trace_target(observer, scope, at, observation, magic)

    return sweep_named(observer, namespace, chosen, observation, report, trace)


def trace_target(
    observer: Observer, namespace: dict[str, Any], chosen: Options, observation: Observation, magic: str
) -> str | None:
    """Trace the target in the magic's line; a mistake becomes a finding and the returned message."""
    target = chosen.target
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
    note = traced_for_magic(chosen, target, magic)
    stage = chosen.stage or ("run" if chosen.time else "trace")
    target_program = trace_call(observer, fun, args, kwargs, note, stage, chosen.keeps_values)
    add_program(observation, target_program, focus=True)
    if isinstance(target_program.error, EffectsError):
        return _refused(observation, target_program.error)
    if target_program.error is not None:
        return _cannot(
            observation, target.text, trace_error_sentence(name_of(fun), target_program.error), target_program.error
        )
    return None


def _cannot(observation: Observation, call: str, why: str, error: BaseException | None = None) -> str:
    message = f"'{call}' could not be traced. {why}"
    explanation = explained(error, call.partition("(")[0]) if error is not None else Explained(None)
    observation.findings.append(
        Finding(
            kind="target",
            text=f"{message} {explanation.text}".rstrip(),
            detail=error_lines(error) if error is not None else None,
            place=explanation.place,
            title=explanation.title,
            cures=explanation.cures,
        )
    )
    return message


def _refused(observation: Observation, error: EffectsError) -> str:
    """Add a finding on a trace that was refused because of a side effect, and return the message."""
    message = f"{error} {UNDER_JIT}"
    effect = error.effect
    place = Place(effect.file, effect.line, effect.function) if effect.line else None
    observation.findings.append(Finding("not_traced", message, place=place))
    return message


def _why_not(error: Exception, text: str, magic: str) -> str:
    if isinstance(error, NameError) and error.name:
        return UNDEFINED_NAME.format(name=error.name)
    if isinstance(error, SpecError):
        return str(error)
    return f"The arguments of the call raised {error_text(error)}. Correct the call after {magic}."
