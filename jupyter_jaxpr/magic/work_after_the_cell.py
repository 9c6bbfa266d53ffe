"""Completes the observation of a cell: adds findings, own traces, or a sentence on why there is no program.

The rules are those of the README: the panel shows the programs of the jitted functions that the cell called; else the
program of the last call, traced after the cell; else a sentence that says what was seen and what the user can type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..explain.errors.cell_error import error_finding, is_of_call
from ..explain.notes.carries_with_changed_type import promoted_carries
from ..explain.notes.changes_without_x64 import changed_numbers, truncated_types
from ..explain.notes.donations_without_effect import too_narrow_results, unread_donations, unused_donations
from ..explain.notes.dropped_updates import dropped_updates
from ..explain.notes.equal_static_arguments import equal_statics
from ..explain.notes.leaked_tracers import leaked_tracers
from ..explain.notes.python_run_only_while_tracing import changes_by_traces, impure_call_findings
from ..explain.notes.random_keys_at_calls import keys_at_calls
from ..explain.notes.random_keys_in_source_code import keys_between_calls
from ..explain.notes.random_keys_in_source_loops import keys_in_loops
from ..explain.notes.stale_values import old_values_at_hits, stale_values
from ..explain.timings.sentences_on_timings import unblocked_timings
from ..explain.trials import trial_time_limit
from ..explain.trials.trial_time_limit import Budget
from ..interruptions import not_of_a_signal
from ..jax.facts import imported
from ..observe.observation import ErrorToTry, Finding, Observation
from ..observe.programs.program_before_error import add_raised
from ..plain_text import traceback_text
from .cells_without_program import (
    CALLED_NONE,
    CORRECT,
    NOTHING_RECORDED,
    may_have_called,
    no_python,
    ran_no_program,
    why_no_program,
)
from .comparison_of_named_functions import compare_named
from .program_in_focus import put_into_focus
from .recordings_and_library_programs import add_library_programs, add_recorded_calls, add_recorded_cell
from .sweep_of_named_values import sweep_named
from .target_trace import sweep_target, trace_target
from .trace_of_last_call import trace_last_call

if TYPE_CHECKING:
    from ..observe.observer import Observer
    from .cell_states import ActiveCell


def complete(
    observer: Observer,
    namespace: dict[str, Any],
    active: ActiveCell,
    observation: Observation,
    error: BaseException | None,
    auto_trace: bool,
) -> str | None:
    """Add the findings and traces that the options and the rules require to an observation.

    Returns:
      A message with a cure if there is no program to show; else None.
    """
    tier = observer.hooks.support
    if tier.tier == "none":
        return tier.note
    message = None
    if imported():
        _find(observation, lambda: leaked_tracers(active.run.traced_functions))
        _find(observation, lambda: stale_values(active.run))
        if (old_values := active.run.old_value_hits) is not None:
            _find(observation, lambda: list(old_values_at_hits(old_values.found.values(), observation.findings)))
        if (static_hits := active.run.static_hits) is not None:
            _find(observation, lambda: list(equal_statics(list(static_hits.found.values()), observation.findings)))
        _find(observation, lambda: impure_call_findings(active.run.impure_calls.calls.values()))
        _find(observation, lambda: changes_by_traces(active.run.changed_by_traces.values()))
        _find(observation, lambda: truncated_types(active.run.truncated))
        _find(observation, lambda: changed_numbers(active.run.changed_numbers))
        _find(observation, lambda: promoted_carries(active.run.promoted))
        _find(observation, lambda: list(unused_donations(active.run.unused_donations)))
        _find(observation, lambda: list(unused_donations(too_narrow_results(active.run))))
        _find(observation, lambda: unread_donations(active.run))
        _find(observation, lambda: dropped_updates(active.cell.source, active.cell.file, active.run.update_calls))
        if error is None:
            _find(
                observation,
                lambda: keys_between_calls(active.cell.source, active.cell.file, namespace, observation.functions),
            )
            _find(
                observation,
                lambda: keys_in_loops(active.cell.source, active.cell.file, namespace, observation.functions),
            )
            if (same_keys := active.run.same_keys) is not None:
                _find(observation, lambda: list(keys_at_calls(same_keys, active.cell.source, observation.findings)))
            _find(
                observation,
                lambda: unblocked_timings(active.cell.source, active.cell.file, namespace, observation),
            )
        if error is not None:
            _find(observation, lambda: add_raised(observation.functions, error))
        if isinstance(error, Exception):
            # An error of an earlier call that the cell caught did not end the cell.
            raised = [
                function.name
                for function in observation.functions
                if function.raised and is_of_call(error, function.name)
            ]
            _find(observation, lambda: _raised(observation, error, raised[-1] if raised else None))
        if active.options.compare:
            if error is not None:
                message = f"The cell raised an error, so nothing was compared. {CORRECT}"
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
                message = f"The cell raised an error, so the sweep did not run. {CORRECT}"
            else:
                active.sweep, message = sweep_target(
                    observer, namespace, active.options, observation, "%%jaxpr", active.heartbeat.say
                )
        elif active.options.target is not None:
            message = trace_target(observer, namespace, active.options, observation, "%%jaxpr")
        else:
            traces_call = auto_trace and active.options.trace
            if error is None:
                message = no_python(active.cell.source)
                message = message or trace_last_call(observer, namespace, active, observation, traces_call)
            add_recorded_calls(observation, active, message if traces_call else None)
    shows_cell = False
    if not any(function.programs for function in observation.functions):
        if message is not None and error is None and active.options.target is None:
            message = may_have_called(namespace, active, observation) or message
        reason = message or why_no_program(namespace, active, observation, error)
        shows_cell = add_recorded_cell(observation, active, reason or CALLED_NONE)
        if active.recorded_cell.is_checked or active.recorded.is_checked:
            message = f"{reason or CALLED_NONE} {NOTHING_RECORDED}"
        else:
            message = reason or ran_no_program(observation)
    elif active.options.eager:
        shows_cell = add_recorded_cell(observation, active, None)
    if not shows_cell:
        observation.unshown = active.recorded_cell.function("cell", None)
    if any(function.programs for function in observation.functions):
        add_library_programs(observation, active.run, None if shows_cell else active.recorded_cell.recording)
    if active.options.focus is not None:
        put_into_focus(observation, active.options.focus)
    return None if any(function.programs for function in observation.functions) else message


def _raised(observation: Observation, error: Exception, function: str | None) -> list[Finding]:
    """Return the finding on the error that ended the cell; `function` is the jitted function whose call raised."""
    budget = Budget(trial_time_limit.SECONDS_AT_ERROR)
    finding = error_finding(error, function, budget)
    if finding is None and budget.was_short:
        # An explanation may depend on a trial. Without a card, no request of the panel could run the trial later.
        budget = Budget()
        finding = error_finding(error, function, budget)
    if budget.was_short:
        observation.error_to_try = ErrorToTry(id(error), function)
    return [] if finding is None else [finding]


def _find(observation: Observation, look: Callable[[], Sequence[Finding] | None]) -> None:
    """Add the findings that the function `look` returns; if it raises, record a failure and return."""
    try:
        observation.findings.extend(look() or ())
    except not_of_a_signal(Exception) as error:
        observation.failures.append(traceback_text(error))
