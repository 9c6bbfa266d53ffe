"""Names the program that this package traced for the last call of a cell, and says where the program comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..observe.outside_jit.function_of_transform_call import called_function
from ..observe.own_traces.trace_of_call import OwnTrace

if TYPE_CHECKING:
    from ..typed.observed_cell import LastCall

AS_JIT = "as jit would trace it"
_AS_JIT_UNDER = "as jit would trace {transform}"

_SECOND_TIME = "For the trace, the Python of {name} ran a second time, with tracers in place of arrays."
_NOTE = (
    "jupyter_jaxpr traced this program: the cell called {name} without jit, so JAX ran {name} operation by operation. "
    f"{_SECOND_TIME}"
)
_NOTE_UNDER = (
    "jupyter_jaxpr traced this program: the cell ran {transform} of {name} without jit, operation by operation. "
    f"{_SECOND_TIME}"
)
_NOTE_OF_LINEAR = (
    "jupyter_jaxpr traced this program: the cell made the call {call} without jit. The call ran a function that JAX "
    "derived from {name}, and JAX ran this function operation by operation. For the trace, JAX ran this function a "
    "second time, with tracers in place of arrays."
)


def traced_after(last: LastCall, name: str) -> str:
    """Return sentences that say where the program of the last call comes from."""
    called = called_function(last.function, last.args)
    if called.is_backward:
        return _NOTE_OF_LINEAR.format(call=last.text, name=name)
    if called.transform is not None:
        return _NOTE_UNDER.format(transform=called.transform, name=name)
    return _NOTE.format(name=name)


def name_by_called(trace: OwnTrace, last: LastCall) -> None:
    """Give an own trace the name of the user's function, if the call was made through a transform."""
    called = called_function(last.function, last.args)
    if trace.function is None or called.transform is None:
        return
    trace.function.name, trace.function.definition, trace.function.transform = (
        called.name,
        called.definition,
        called.transform,
    )
    for program in trace.function.programs:
        program.how = program.how or _AS_JIT_UNDER.format(transform=called.transform)
