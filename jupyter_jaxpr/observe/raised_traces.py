"""A trace that raised in, a program of the run out: the equations that JAX had traced until then."""

from __future__ import annotations

from ..jax.partial_traces import partial_trace
from ..plain_text import kind_name
from .arguments import spec_of
from .observation import ArgumentSpec, ObservedProgram, Place
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
    name = activity.record.name
    partial = partial_trace(error, name)
    if partial is None or not partial.program.eqns:  # nothing to show
        return
    avals = partial.program.in_avals[partial.captured :]
    names = partial.names or ("",) * len(avals)
    activity.raised_trace = ObservedProgram(
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
