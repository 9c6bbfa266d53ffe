"""Reads the equations that JAX had traced when a trace raised, and finds which variable each tracer stands for."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType
from typing import Any

from .dispatch_types import program_of
from .facts import private
from .transform_and_inputs_of_tracer import under


@dataclass(frozen=True)
class PartialTrace:
    """The part of a trace that existed when the trace raised.

    Attributes:
        program: The traced equations as a program without results. Its first inputs are the captured arrays. The
            program lacks the equations whose results nothing refers to, because JAX forgets these equations.
        captured: The number of captured arrays.
        names: The paths of the other inputs, such as `p['w']`; () if unknown.
        function: The name of the traced function; None if unknown.
        frame: The frame of JAX that made the trace.
        trace: JAX's own trace object.
    """

    program: Any
    captured: int
    names: tuple[str, ...]
    function: str | None
    frame: FrameType
    trace: Any

    def variable(self, value: Any) -> int | None:
        """Return the number of the program's variable for which a tracer stands; None if there is none.

        Args:
            value: A tracer of this trace, or a tracer of vmap or grad around one; other values have no variable.
        """
        inner = under(value)
        if getattr(inner, "_trace", None) is not self.trace:
            return None
        variable_of_value = getattr(inner, "val", None)
        jaxpr = getattr(self.program, "jaxpr", self.program)
        variables = [*jaxpr.invars, *(variable for equation in jaxpr.eqns for variable in equation.outvars)]
        return next((number for number, variable in enumerate(variables) if variable is variable_of_value), None)

    def operands(self, frame: FrameType) -> list[Any] | None:
        """Return the operands of the primitive that JAX was tracing in a frame; None if `frame` traces no primitive."""
        names = frame.f_locals
        if frame.f_code.co_name != "process_primitive" or names.get("self") is not self.trace:
            return None
        tracers = names.get("tracers")
        return list(tracers) if isinstance(tracers, (list, tuple)) else None


def partial_trace(error: BaseException) -> PartialTrace | None:
    """Return the outermost trace that an error ended; None if this version of JAX does not keep it.

    Args:
        error: The error, on its way through JAX or afterwards.
    """
    kind = private("interpreters.partial_eval").DynamicJaxprTrace
    traceback = error.__traceback__
    while traceback is not None:
        trace: Any = traceback.tb_frame.f_locals.get("trace")
        if type(trace) is kind:
            return _partial_trace(trace, traceback.tb_frame)
        traceback = traceback.tb_next
    return None


def _partial_trace(trace: Any, frame: FrameType) -> PartialTrace:
    jaxpr_frame = trace.frame
    captured = list(jaxpr_frame.constvar_to_val)
    inputs = list(jaxpr_frame.invars)
    function = getattr(jaxpr_frame.debug_info, "func_name", None)
    program = program_of([*captured, *inputs], [], jaxpr_frame.get_eqns(), function or "")
    names = getattr(jaxpr_frame.debug_info, "arg_names", None) or ()
    names = tuple(names) if len(names) == len(inputs) else ()
    return PartialTrace(program, len(captured), names, function, frame, trace)
