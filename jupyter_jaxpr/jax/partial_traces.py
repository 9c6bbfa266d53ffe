"""An error that a trace raised in, the program as far as JAX had traced it out."""

from __future__ import annotations

from dataclasses import dataclass
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
    """

    program: Any
    captured: int
    names: tuple[str, ...]


def partial_trace(error: BaseException, name: str) -> PartialTrace | None:
    """The program of the outermost trace that an error ended; None where this JAX does not hold it.

    Args:
        error: While it is on its way through JAX.
        name: Of the function.
    """
    kind = private("interpreters.partial_eval").DynamicJaxprTrace
    traceback = error.__traceback__
    while traceback is not None:
        trace: Any = traceback.tb_frame.f_locals.get("trace")
        if type(trace) is kind:
            return _held(trace.frame, name)
        traceback = traceback.tb_next
    return None


def _held(frame: Any, name: str) -> PartialTrace:
    captured = list(frame.constvar_to_val)
    inputs = list(frame.invars)
    program = program_of([*captured, *inputs], [], frame.get_eqns(), name)
    names = getattr(frame.debug_info, "arg_names", None) or ()
    return PartialTrace(program, len(captured), tuple(names) if len(names) == len(inputs) else ())
