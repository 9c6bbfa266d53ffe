"""Adds programs that ran outside of the user's jit to an observation: recordings, and programs of libraries."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..explain.notes.random_keys_without_jit import keys_of_recorded_calls
from ..jax.dispatch_types import only_program
from ..observe.cell_run import Run
from ..observe.observation import Finding, Observation, ObservedFunction, Place
from ..observe.outside_jit.dispatch_recording import Recording
from ..quantities import count
from .sentences_on_traced_programs import AS_JIT
from .trace_of_last_call import ORIGINS_OF_CALLS

if TYPE_CHECKING:
    from .cell_states import ActiveCell


def add_recorded_cell(observation: Observation, active: ActiveCell, message: str | None) -> bool:
    """Add the recording of the cell to the observation; return whether the recording has any dispatch."""
    number = active.cell.execution_count
    function = active.recorded_cell.function("cell" if number is None else f"cell [{number}]", message)
    if function is not None:
        observation.functions.append(function)
        if active.options.eager:
            observation.focus = function.programs[0]
    return function is not None


def add_library_programs(observation: Observation, run: Run, hidden: Recording | None) -> None:
    """Add the programs that libraries jitted and ran, except those that are part of a visible recording.

    Args:
        observation: The observation of the cell.
        run: The run of the cell.
        hidden: The recording of the cell, if the panel does not show it.
    """
    visible = [function for function, recording in run.library_programs if recording is None or recording is hidden]
    observation.libraries += visible
    if visible and run.library_programs_left_out:
        programs_text = count(run.library_programs_left_out, "more program", "more programs")
        first = len(run.library_programs)
        text = f"Libraries jitted {programs_text} in this run. The list of programs holds the first {first}."
        observation.findings.append(Finding("library_programs", text))


def add_recorded_calls(observation: Observation, active: ActiveCell, message: str | None) -> None:
    """Add the recorded calls in the order of the calls; a call of the last statement comes last, with its own trace.

    Args:
        observation: The observation of the cell.
        active: The cell.
        message: The reason why the last call was not traced; added to the last recording if nothing else is shown.
    """
    functions = observation.functions
    jaxpr_ids = {id(program.jaxpr) for function in functions for program in function.programs}
    recorded_calls = active.recorded.functions(active.cell.file, active.run.reading)
    observation.findings += keys_of_recorded_calls(recorded_calls, active.cell.source)
    for function, is_wrapper, called_before, *_ in recorded_calls:
        only = only_program(function.programs[0].jaxpr)
        if only is not None and id(only) in jaxpr_ids:
            continue  # the call did nothing but call a jitted function, whose program the observation has
        if is_wrapper and _ran_as_one(function, observation):
            continue
        traced = next(
            (function_of_cell for function_of_cell in functions if _is_traced(function_of_cell, function)), None
        )
        if called_before is not None:
            later = set(list(active.run.functions)[called_before:])
            functions.insert(_first_of(functions, later), function)
        elif traced is None:
            functions.append(function)
        else:  # a call in the last statement comes after the programs of the functions that it called
            functions.remove(traced)
            for program in traced.programs:
                program.how = program.how or AS_JIT
            functions.append(replace(traced, programs=[*traced.programs, *function.programs]))
    observation.findings += [Finding("not_recorded", text) for text in active.recorded.not_recorded]
    called = [function for function in functions if function.programs]
    recorded = [program for function in called for program in function.programs if program.origin == "recorded"]
    if recorded and not jaxpr_ids and message is not None:
        if not any(finding.kind == "not_traced" for finding in observation.findings):
            recorded[-1].origin_note = f"{recorded[-1].origin_note} {message}"
    if observation.focus is None and recorded:
        if all(function.construct or function.programs[0].origin == "recorded" for function in called):
            observation.focus = recorded[-1]


def _first_of(functions: Sequence[ObservedFunction], keys: Container[tuple[str, Place | None]]) -> int:
    """Return the index of the first function with one of these keys (name, def), or the number of functions."""
    indices = (index for index, function in enumerate(functions) if (function.name, function.definition) in keys)
    return next(indices, len(functions))


def _is_traced(traced: ObservedFunction, recorded: ObservedFunction) -> bool:
    """Return whether `traced` has the own trace of the function that `recorded` recorded."""
    is_same_function = (traced.name, traced.definition, traced.transform) == (
        recorded.name,
        recorded.definition,
        recorded.transform,
    )
    return is_same_function and all(program.origin in ("traced", "recorded") for program in traced.programs)


def _ran_as_one(function: ObservedFunction, observation: Observation) -> bool:
    """Return whether JAX ran a function that the user did not jit as one program, as pmap or a library's jit does."""
    return any(
        (function_of_cell.name, function_of_cell.definition) == (function.name, function.definition)
        and any(program.origin in ORIGINS_OF_CALLS for program in function_of_cell.programs)
        for function_of_cell in observation.functions
    )
