"""Finds what another thread traces now and how many equations the trace has, from the thread's innermost frame."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any

from .facts import private

# Before Python 3.13, a read of a frame's variables keeps the variables alive, and JAX would report a leaked tracer.
_CAN_READ_FRAMES = sys.version_info >= (3, 13)


@dataclass(frozen=True)
class TraceUnderWay:
    """The traces of one thread.

    Attributes:
        frames: The frames inside the outermost trace, outermost first.
        equations: The number of equations of all open traces, without finished inner programs; None if unknown.
    """

    frames: list[FrameType]
    equations: int | None


def trace_under_way(frame: FrameType | None) -> TraceUnderWay | None:
    """Return the traces below a frame; None where JAX traces nothing, or where this version stores it otherwise.

    Args:
        frame: The innermost frame of a thread, which may continue meanwhile.
    """
    module = private("interpreters.partial_eval")
    file, kind = module.__file__, module.DynamicJaxprTrace
    inner: list[FrameType] = []
    outermost, equations = 0, 0
    while frame is not None:
        code = frame.f_code
        if code.co_filename == file and "trace" in code.co_varnames + code.co_cellvars:
            outermost = len(inner)
            if _CAN_READ_FRAMES:
                trace: Any = frame.f_locals.get("trace")
                equations += len(trace.frame.tracing_eqns) if type(trace) is kind else 0
                del trace
        inner.append(frame)
        frame = frame.f_back
    if not outermost:
        return None
    return TraceUnderWay(inner[outermost - 1 :: -1], equations if _CAN_READ_FRAMES else None)


def equations_in(jaxpr: Any) -> int:
    """Return the number of equations in a program and its inner programs; a shared program counts once."""
    visited: set[int] = set()
    waiting = [jaxpr]
    count = 0
    while waiting:
        program = waiting.pop()
        program = getattr(program, "jaxpr", program)
        if id(program) in visited:
            continue
        visited.add(id(program))
        count += len(program.eqns)
        for equation in program.eqns:
            for value in equation.params.values():
                for part in value if type(value) in (tuple, list) else (value,):
                    if hasattr(part, "eqns"):
                        waiting.append(part)
    return count
