"""Describes a trace that has not ended: its function, its equations until now, and the Python loop that adds equations.

Only the thread that reports the progress of a run uses this module, once a second.
"""

from __future__ import annotations

import ast
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any, Literal

from ..interruptions import not_of_a_signal
from ..jax.constructs_outside_jit import construct_around
from ..jax.equations_until_now import TraceUnderWay, codes_of, equations_in, trace_under_way
from ..jax.facts import imported
from ..jax.missed_calls import JitCall
from ..plain_text import FAILURES, file_of, function_of
from .side_effects.source_of_code_objects import function_node
from .user_or_library.whose_code import is_installed, is_users_frame

LoopKind = Literal["for", "while"]

# If a loop added fewer equations than this since the last look, it may be waiting for something, such as a file.
_FEWEST_EQUATIONS = 10

# In a finished trace, a loop is named only if it made at least this many equations, and at least half of the program.
_FEWEST_OF_A_PROGRAM = 100

# In a larger program, only this many equations are examined for their source lines, at equal distances.
_MOST_ASKED = 5_000


@dataclass(frozen=True)
class UnrolledLoop:
    """A Python loop that JAX traces iteration by iteration.

    Attributes:
        kind: `for` or `while`.
        file: The file, as in `co_filename`.
        line: The line of the statement, from 1.
    """

    kind: LoopKind
    file: str
    line: int


@dataclass(frozen=True)
class UnderWay:
    """What is known of a program that JAX is making.

    Attributes:
        equations: The number of equations traced until now, or of the whole program after the trace; None if unknown.
        loop: The Python loop that adds the equations; None if there is no such loop.
    """

    equations: int | None = None
    loop: UnrolledLoop | None = None


@dataclass(frozen=True)
class UnreportedTrace:
    """A trace for which JAX reports no event, such as the trace of the body of a `scan` outside of jit.

    Attributes:
        title: The name of the traced function, inside the name of the `jax.lax` function: for example `scan(step)`.
        since: The time at which the trace was first seen, by `time.perf_counter`.
        program: What is known of the program that JAX is making.
    """

    title: str
    since: float
    program: UnderWay


class ProgramUnderWay:
    """The program that one thread is making, examined once a second."""

    def __init__(self) -> None:
        self._key: object = None
        self._before: tuple[UnrolledLoop, int] | None = None
        self._loop: UnrolledLoop | None = None
        self._counted: tuple[int, UnderWay] | None = None
        self._unreported: tuple[str, float] = "", 0.0

    def look(self, thread: int, stage: str, call: JitCall | None) -> UnderWay:
        """Return what is known of the program at this moment.

        Args:
            thread: The id of the thread that makes the program; the thread may continue during the look.
            stage: The stage of the thread: `trace`, `lower`, `compile`, or any other word.
            call: The call that the stage belongs to; None if unknown.
        """
        try:
            if stage == "trace" and imported():
                trace = trace_under_way(sys._current_frames().get(thread))
                return UnderWay() if trace is None else self._grown(trace, id(call))
            if stage in ("lower", "compile") and call is not None and call.params is not None:
                whole = self._whole(call.params["jaxpr"])
                return UnderWay(whole.equations, (self._loop if self._key == id(call) else None) or whole.loop)
        except not_of_a_signal(*FAILURES):  # if the reading fails, the progress has no number of equations and no loop
            pass
        return UnderWay()

    def look_at_unreported(self, thread: int) -> UnreportedTrace | None:
        """Return the trace of a user function for which JAX reported no event; None if there is none."""
        try:
            trace = trace_under_way(sys._current_frames().get(thread)) if imported() else None
            function = next((frame for frame in trace.frames if is_users_frame(frame)), None) if trace else None
            if trace is None or function is None:
                return None
            key = id(trace.frames[0]) if trace.outermost is None else trace.outermost
            if self._key != key:
                construct, name = construct_around(trace.callers[0]), function_of(function.f_code).rpartition(".")[2]
                self._unreported = name if construct is None else f"{construct}({name})", time.perf_counter()
            title, since = self._unreported
            return UnreportedTrace(title, since, self._grown(trace, key))
        except not_of_a_signal(*FAILURES):
            return None

    def _grown(self, trace: TraceUnderWay, key: object) -> UnderWay:
        """Return the number of equations in a trace, and the Python loop that added equations since the last look."""
        if self._key != key:
            self._key, self._before, self._loop = key, None, None
        loop = _outermost_loop((frame.f_code, frame.f_lineno) for frame in trace.frames if is_users_frame(frame))
        if loop is not None and trace.equations is not None:
            if self._before is not None and self._before[0] == loop:
                if trace.equations - self._before[1] >= _FEWEST_EQUATIONS:
                    self._loop = loop
            self._before = loop, trace.equations
        return UnderWay(trace.equations, self._loop)

    def _whole(self, jaxpr: Any) -> UnderWay:
        """Return the number of equations in a finished trace, and the Python loop that made at least half of them."""
        if self._counted is None or self._counted[0] != id(jaxpr):
            equations = equations_in(jaxpr)
            # the number of equations is stored even if reading the source lines then raises
            self._counted = id(jaxpr), UnderWay(len(equations))
            self._counted = id(jaxpr), UnderWay(len(equations), _largest_loop(equations))
        return self._counted[1]


def _largest_loop(equations: list[Any]) -> UnrolledLoop | None:
    """Return the user's Python loop that made at least half of a program's equations; None if there is no such loop."""
    asked = equations[:: len(equations) // _MOST_ASKED + 1]
    if len(equations) < _FEWEST_OF_A_PROGRAM:
        return None
    known: dict[tuple[int, int], UnrolledLoop | None] = {}
    counts: Counter[UnrolledLoop] = Counter()
    for equation in asked:
        loop = _outermost_loop((place for place in codes_of(equation) if not is_installed(file_of(place[0]))), known)
        if loop is not None:
            counts[loop] += 1
    for loop, count in counts.most_common(1):
        share = count / len(asked)
        return loop if share >= 0.5 and share * len(equations) >= _FEWEST_OF_A_PROGRAM else None
    return None


def _outermost_loop(
    places: Iterable[tuple[CodeType, int | None]],
    known: dict[tuple[int, int], UnrolledLoop | None] | None = None,
) -> UnrolledLoop | None:
    """Return the outermost Python loop around the user's lines of a stack.

    Args:
        places: (code object, line) for each user frame, outermost frame first.
        known: (id of the code object, line) -> the loop around this line; filled by this function.
    """
    known = {} if known is None else known
    for code, line in places:
        if line is None:
            continue
        if (id(code), line) not in known:
            known[id(code), line] = _loop_at(code, line)
        loop = known[id(code), line]
        if loop is not None:
            return loop
    return None


def _loop_at(code: CodeType, line: int) -> UnrolledLoop | None:
    function = function_node(code)
    if function is None:
        return None
    for node in _own_statements(function):
        if not isinstance(node, (ast.For, ast.While)):
            continue
        if node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0):
            return UnrolledLoop("for" if isinstance(node, ast.For) else "while", file_of(code), node.lineno)
    return None


def _own_statements(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the syntax nodes of a function, outer nodes first; the nodes of inner functions are left out."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield node
            yield from _own_statements(node)
