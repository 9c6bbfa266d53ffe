"""Finds what another thread traces at present, and the number of equations until now, from the thread's frames."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from .facts import private

# Before Python 3.13, reading a frame's variables keeps them alive, and JAX would report a leaked tracer.
_CAN_READ_FRAMES = sys.version_info >= (3, 13)


@dataclass(frozen=True)
class TraceUnderWay:
    """The traces that are open on one thread.

    Attributes:
        frames: The frames inside the outermost trace, outermost first.
        callers: The frames outside of the outermost trace, innermost first.
        equations: The number of equations of all open traces, without finished inner programs; None if unknown.
        outermost: JAX's object of the outermost trace; None if unknown.
    """

    frames: list[FrameType]
    callers: list[FrameType]
    equations: int | None
    outermost: weakref.ref[Any] | None


def trace_under_way(frame: FrameType | None) -> TraceUnderWay | None:
    """Return the open traces of a thread; None if JAX traces nothing, or if this version of JAX is not supported.

    Args:
        frame: The innermost frame of the thread, which may go on running.
    """
    kind = private("interpreters.partial_eval").DynamicJaxprTrace
    frames: list[FrameType] = []
    depth, equations = 0, 0
    outermost: weakref.ref[Any] | None = None
    while frame is not None:
        if _makes_a_trace(frame.f_code):
            depth, outermost = len(frames), None
            if _CAN_READ_FRAMES:
                trace: Any = frame.f_locals.get("trace")
                if type(trace) is kind:
                    equations += len(trace.frame.tracing_eqns)
                    outermost = weakref.ref(trace)
                del trace
        frames.append(frame)
        frame = frame.f_back
    if not depth:
        return None
    return TraceUnderWay(frames[depth - 1 :: -1], frames[depth:], equations if _CAN_READ_FRAMES else None, outermost)


def _makes_a_trace(code: CodeType) -> bool:
    """Return whether a code object is a function of JAX that traces the user's function."""
    file: str = private("interpreters.partial_eval").__file__
    return code.co_filename == file and "trace" in code.co_varnames + code.co_cellvars


def codes_of(equation: Any) -> list[tuple[CodeType, int]]:
    """Return (code object, line) for each frame inside the trace that made an equation, outermost first.

    [] if unknown.
    """
    traceback = equation.source_info.traceback
    if traceback is None:
        return []
    codes, instructions = traceback.raw_frames()
    outermost = next((index for index in range(len(codes) - 1, -1, -1) if _makes_a_trace(codes[index])), len(codes))
    line_of = type(traceback).code_addr2line
    return [(codes[index], line_of(codes[index], instructions[index])) for index in range(outermost - 1, -1, -1)]


def equations_in(jaxpr: Any) -> list[Any]:
    """Return the equations of a program and its inner programs; each inner program counts once."""
    visited: set[int] = set()
    waiting = [jaxpr]
    equations: list[Any] = []
    while waiting:
        program = waiting.pop()
        program = getattr(program, "jaxpr", program)
        if id(program) in visited:
            continue
        visited.add(id(program))
        equations += program.eqns
        for equation in program.eqns:
            for value in equation.params.values():
                for part in value if type(value) in (tuple, list) else (value,):
                    if hasattr(part, "eqns"):
                        waiting.append(part)
    return equations
