"""A trace that raised in, a program of the run out: the equations that JAX had traced until then."""

from __future__ import annotations

from collections.abc import Sequence

from ..jax.partial_traces import PartialTrace, partial_trace
from ..plain_text import kind_name
from .arguments import spec_of
from .functions import call_place
from .observation import ArgumentSpec, ObservedFunction, ObservedProgram, Place
from .run import FunctionActivity

_HOW = "traced until it raised"
_NO_TEXT = (
    "JAX did not lower the program, because its trace raised an error. Correct the function and run the cell again."
)
_NO_VALUES = (
    "JAX did not run the program, because its trace raised an error. Correct the function, then run the cell again."
)
_NOTE = (
    "The trace of {name} raised {error}. The program has the equations that JAX had traced until then; JAX compiled "
    "and ran nothing of it."
)


def note_raised(activity: FunctionActivity, error: BaseException, call: Place | None) -> None:
    """Keep what JAX had traced of a function; the newest trace that raised counts.

    Args:
        activity: Of the function in the run.
        error: That ended the trace.
        call: The user's line that called the function.
    """
    partial = partial_trace(error)
    if partial is not None and partial.program.eqns:  # else there is nothing to show
        activity.raised_trace = _program(partial, activity.record.name, error, call)


def add_raised(functions: Sequence[ObservedFunction], error: BaseException) -> None:
    """Give a function whose trace ended the cell its program, where JAX told of no trace: under grad, vmap or jvp."""
    partial = partial_trace(error)
    if partial is None or not partial.program.eqns:
        return
    for function in functions:
        if function.raised and not function.programs and function.name == partial.function:
            function.programs.append(_program(partial, function.name, error, call_place(partial.frame)))
            return


def raised_in(error: BaseException) -> str | None:
    """The name of the function whose trace an error ended, called under jit or not; None where JAX traced nothing."""
    partial = partial_trace(error)
    return None if partial is None else partial.function


def _program(partial: PartialTrace, name: str, error: BaseException, call: Place | None) -> ObservedProgram:
    avals = partial.program.in_avals[partial.captured :]
    names = partial.names or ("",) * len(avals)
    return ObservedProgram(
        origin="traced",
        jaxpr=partial.program,
        arguments=tuple(ArgumentSpec(each, tree=spec_of(aval)) for each, aval in zip(names, avals, strict=True)),
        call=call,
        no_text=_NO_TEXT,
        no_values=_NO_VALUES,
        origin_note=_NOTE.format(name=name, error=kind_name(type(error))),
        how=_HOW,
        input_names=(*[""] * partial.captured, *names),
    )
