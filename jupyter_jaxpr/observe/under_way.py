"""Describes a trace that has not ended: its function, its equations so far, and a loop that grows it.

Only the thread that tells the progress looks here, once a second.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Literal

from ..interruptions import not_of_a_signal
from ..jax.calls import JitCall
from ..jax.facts import imported
from ..jax.traces_under_way import equations_in, trace_under_way
from ..plain_text import FAILURES, file_of
from .side_effects.source import function_node
from .whose_code import is_users_frame

LoopKind = Literal["for", "while"]

# A loop with fewer new equations between two looks may wait for something else, such as a file.
_FEWEST_EQUATIONS = 10


@dataclass(frozen=True)
class UnrolledLoop:
    """A Python loop that JAX traces iteration by iteration.

    Attributes:
        kind: The first word of the statement.
        file: The file, as in `co_filename`.
        line: The line of the statement, from 1.
    """

    kind: LoopKind
    file: str
    line: int


@dataclass(frozen=True)
class UnderWay:
    """The known parts of a program that JAX is making.

    Attributes:
        equations: The number of equations traced so far, or of the traced program; None where it is unknown.
        loop: The loop that the trace was in at the last look; None where there is none.
    """

    equations: int | None = None
    loop: UnrolledLoop | None = None


class ProgramUnderWay:
    """The program that one thread is making, looked at once a second."""

    def __init__(self) -> None:
        self._call: int | None = None
        self._before: tuple[UnrolledLoop, int] | None = None
        self._loop: UnrolledLoop | None = None
        self._counted: tuple[int, int] | None = None

    def look(self, thread: int, stage: str, call: JitCall | None) -> UnderWay:
        """Return the parts that are known now.

        Args:
            thread: The thread that makes the program, which may continue meanwhile.
            stage: The stage of the thread: `trace`, `lower`, `compile`, or any other word.
            call: The call of the stage; None where it is unknown.
        """
        try:
            if stage == "trace":
                return self._look_at_trace(thread, call)
            if stage in ("lower", "compile") and call is not None and call.params is not None:
                loop = self._loop if self._call == id(call) else None
                return UnderWay(self._count(call.params["jaxpr"]), loop)
        except not_of_a_signal(*FAILURES):  # the progress shows less, and the cell continues
            pass
        return UnderWay()

    def _look_at_trace(self, thread: int, call: JitCall | None) -> UnderWay:
        if not imported():
            return UnderWay()
        if self._call != id(call):
            self._call, self._before, self._loop = id(call), None, None
        trace = trace_under_way(sys._current_frames().get(thread))
        if trace is None:
            return UnderWay()
        loop, equations = _loop_in(trace.frames), trace.equations
        del trace
        if loop is not None and equations is not None:
            if self._before is not None and self._before[0] == loop:
                if equations - self._before[1] >= _FEWEST_EQUATIONS:
                    self._loop = loop
            self._before = loop, equations
        return UnderWay(equations, self._loop)

    def _count(self, jaxpr: Any) -> int:
        if self._counted is None or self._counted[0] != id(jaxpr):
            self._counted = id(jaxpr), equations_in(jaxpr)
        return self._counted[1]


def _loop_in(frames: Sequence[FrameType]) -> UnrolledLoop | None:
    """Return the outermost loop of the user's around the frames."""
    for frame in frames:
        if is_users_frame(frame):
            loop = _loop_at(frame.f_code, frame.f_lineno)
            if loop is not None:
                return loop
    return None


def _loop_at(code: CodeType, line: int | None) -> UnrolledLoop | None:
    function = None if line is None else function_node(code)
    if function is None or line is None:
        return None
    for node in _own_statements(function):
        if not isinstance(node, (ast.For, ast.While)):
            continue
        if node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0):
            return UnrolledLoop("for" if isinstance(node, ast.For) else "while", file_of(code), node.lineno)
    return None


def _own_statements(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of inner functions, outer statements first."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield node
            yield from _own_statements(node)
