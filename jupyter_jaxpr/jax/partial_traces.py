"""An error that a trace raised in, the program as far as JAX had traced it out."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType
from typing import Any

from .dispatches import program_of
from .facts import private


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
    """

    program: Any
    captured: int
    names: tuple[str, ...]
    function: str | None
    frame: FrameType


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
            return _held(trace.frame, traceback.tb_frame)
        traceback = traceback.tb_next
    return None


def _held(held: Any, frame: FrameType) -> PartialTrace:
    captured = list(held.constvar_to_val)
    inputs = list(held.invars)
    function = getattr(held.debug_info, "func_name", None)
    program = program_of([*captured, *inputs], [], held.get_eqns(), function or "")
    names = getattr(held.debug_info, "arg_names", None) or ()
    return PartialTrace(program, len(captured), tuple(names) if len(names) == len(inputs) else (), function, frame)
