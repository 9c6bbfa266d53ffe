"""Reads the equations that JAX had traced when a trace raised, and tells which values belong to them."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType
from typing import Any

from .dispatches import program_of
from .facts import private
from .tracer_origins import under


@dataclass(frozen=True)
class PartialTrace:
    """What JAX had traced when the trace raised.

    Attributes:
        program: Without results. Arrays that the function captured are its first inputs. Equations whose results
            nobody held any more are left out: JAX had forgotten them.
        captured: How many inputs come first.
        names: Paths of the other inputs, such as `p['w']`; empty where they are not known.
        function: The name of the function that was traced; None where it is not known.
        frame: Of JAX, in which the trace was made.
        trace: JAX's own object.
    """

    program: Any
    captured: int
    names: tuple[str, ...]
    function: str | None
    frame: FrameType
    trace: Any

    def variable(self, value: Any) -> int | None:
        """The number of the variable that stands for a value in the program; None where no variable does.

        Args:
            value: A tracer, also one of vmap or grad over one of this trace; of anything else there is no variable.
        """
        inner = under(value)
        if getattr(inner, "_trace", None) is not self.trace:
            return None
        known = getattr(inner, "val", None)
        jaxpr = getattr(self.program, "jaxpr", self.program)
        variables = [*jaxpr.invars, *(variable for equation in jaxpr.eqns for variable in equation.outvars)]
        return next((number for number, variable in enumerate(variables) if variable is known), None)

    def operands(self, frame: FrameType) -> list[Any] | None:
        """What a primitive received that this trace was about to write down in a frame; None in any other frame."""
        names = frame.f_locals
        if frame.f_code.co_name != "process_primitive" or names.get("self") is not self.trace:
            return None
        tracers = names.get("tracers")
        return list(tracers) if isinstance(tracers, (list, tuple)) else None


def partial_trace(error: BaseException) -> PartialTrace | None:
    """The program of the outermost trace that an error ended; None where this JAX does not hold it.

    Args:
        error: On its way through JAX, or after it.
    """
    kind = private("interpreters.partial_eval").DynamicJaxprTrace
    traceback = error.__traceback__
    while traceback is not None:
        trace: Any = traceback.tb_frame.f_locals.get("trace")
        if type(trace) is kind:
            return _held(trace, traceback.tb_frame)
        traceback = traceback.tb_next
    return None


def _held(trace: Any, frame: FrameType) -> PartialTrace:
    held = trace.frame
    captured = list(held.constvar_to_val)
    inputs = list(held.invars)
    function = getattr(held.debug_info, "func_name", None)
    program = program_of([*captured, *inputs], [], held.get_eqns(), function or "")
    names = getattr(held.debug_info, "arg_names", None) or ()
    names = tuple(names) if len(names) == len(inputs) else ()
    return PartialTrace(program, len(captured), names, function, frame, trace)
