"""Makes the sentences that say where a program comes from that this package traced, or why a trace failed.

The program is that of the last call of a cell, or of the call in the magic's line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..observe.outside_jit.function_of_transform_call import called_function
from ..observe.own_traces.trace_of_call import OwnTrace
from ..plain_text import kind_name, message_of

if TYPE_CHECKING:
    from ..typed.observed_cell import LastCall
    from ..typed.targets_and_array_types import Target
    from .magic_line_options import Options

AS_JIT = "as jit would trace it"
_AS_JIT_UNDER = "as jit would trace {transform}"

RAN_BUT_NOT_TRACEABLE = "{name} ran, but cannot be traced. {why}"
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


def traced_for_magic(chosen: Options, target: Target, magic: str) -> str:
    """Return the sentence that says what this package did for the call in the magic's line."""
    if chosen.stage == "run":
        return (
            f"jupyter_jaxpr traced and compiled this program, and ran the program once, for {magic} {target.text} "
            "--stage run."
        )
    if chosen.time:
        return f"jupyter_jaxpr traced, compiled and ran this program for {magic} {target.text} --time."
    if target.takes_values:
        return (
            f"jupyter_jaxpr traced this program for {magic} {target.text}. The arguments were evaluated; the "
            "function was not executed."
        )
    return f"jupyter_jaxpr traced this program for {magic} {target.text}. Nothing was executed."


def trace_error_sentence(name: str, error: BaseException) -> str:
    """Return a sentence with the class of a trace's error and the first line of its message."""
    first = message_of(error).strip().splitlines()
    return f"Tracing {name} raised {kind_name(type(error))}: {first[0] if first else ''}"
