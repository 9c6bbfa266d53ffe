"""Measures a warm call of an observed program, and the same call without jit.

The warm call is a call of the user's jitted function, if JAX finds the program again without tracing; the time is then
that of `%timeit f(x).block_until_ready()`. Otherwise it is a call of the executable that ran in the cell. The eager
call runs the same Python without jit, operation by operation. Both are timed alternately, so that a slow phase of the
machine affects both.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.held_traces import call_leaves
from ...jax.post_hook import LastCalls
from ...observe.calls.held_or_gone_values import ValuesGone
from ...observe.calls.printed_output import PrintRecorder
from ...observe.calls.repeatable_calls import Given, HeldCall
from ...observe.functions.function_inside_wrappers import name_of
from ...observe.observation import ObservedProgram
from ...observe.observer import Observer
from ...observe.side_effects.refused_and_undone_traces import EffectsError, undone
from ...observe.user_or_library.library_functions import is_users
from ...quantities import duration
from ..compare.differentiation import words
from .repeated_calls import SLOW, Guarded, Stop, Warm, copied, take_blocks
from .timing_questions_and_remarks import (
    BY_EXECUTABLE,
    CALL_RAISED,
    CALLS_JITTED_FUNCTIONS,
    COMPILED_FOR_TIMING,
    COMPILES_LEFT_OUT,
    DERIVED_PROGRAM,
    EAGER_CALL_RAISED,
    JIT_OF_LIBRARY,
    NO_EXECUTABLE,
    NO_FUNCTION,
    NO_PLAIN_FUNCTION,
    NO_RECORDED_CALL,
    NO_STATIC,
    NOT_TIMED_WITHOUT_JIT,
    ONE_CALL_TIMED,
    OTHER_PROGRAM,
    PRINTS_NOT_SHOWN,
    RESULT_MAY_DIFFER,
    TIMING_INTERRUPTED,
    TIMING_STOPPED,
    no_values,
)

Report = Callable[[str, int | None, int | None], None]


@dataclass
class ProgramTimes:
    """The measured times of a program; `notes` say what was not measured, and why.

    `compiling` is the part of `eager`, in seconds, that JAX spends on tracing, lowering and compiling in each call.
    """

    warm: Warm | None = None
    eager: Warm | None = None
    notes: list[str] = field(default_factory=list)
    stopped: str | None = None
    compiling: float = 0.0


def time_program(
    observer: Observer,
    name: str,
    program: ObservedProgram,
    *,
    confirmed: bool = False,
    report: Report = lambda text, done, total: None,
    stop: Stop = lambda: False,
) -> ProgramTimes:
    """Time a warm call and an eager call of a program, on the argument values of its last seen call.

    Args:
        observer: The observer; it records nothing during the timing.
        name: The name of the function.
        program: The program. The caller must have asked the user what `question` returns.
        confirmed: True if a call of more than a second may be repeated.
        report: Called with the progress between samples.
        stop: Called between samples; returns True to stop and keep the results so far.

    Raises:
        ValuesGone: The argument values or the executable no longer exist; the message contains a cure.
    """
    times = ProgramTimes()
    prints = PrintRecorder(lambda: name, swallow=True)
    with observer.looking_away():
        leaves = _values(name, program)
        trial = _Trial(observer, name, program, leaves, times, math.inf if confirmed else SLOW)
        prints.start()
        try:
            trial.run(report, stop)
            if stop():
                times.stopped = TIMING_STOPPED
        except KeyboardInterrupt:
            times.stopped = TIMING_INTERRUPTED
        finally:
            prints.stop()
            trial.take()
    if prints.printed:
        times.notes.append(PRINTS_NOT_SHOWN.format(name=name))
    return times


def _values(name: str, program: ObservedProgram) -> list[Any]:
    try:
        if program.values is not None:
            return program.values.get()
    except ValuesGone:  # this message has a cure for the stepper; the message below has one for the timing
        pass
    raise ValuesGone(program.no_values or no_values(name))


class _Trial:
    """Times the warm call and the eager call of one program."""

    def __init__(
        self,
        observer: Observer,
        name: str,
        program: ObservedProgram,
        leaves: list[Any],
        times: ProgramTimes,
        slow: float,
    ) -> None:
        self._observer = observer
        self._name = name
        self._program = program
        self._leaves = leaves
        self._times = times
        self._slow = slow
        self._warm: Guarded | None = None
        self._eager: _WithStages | None = None
        self._same_program = True  # true if a call with JAX's present settings runs the same program

    def run(self, report: Report, stop: Stop) -> None:
        """Time the warm and the eager call, and then undo the side effects of the function's Python."""
        try:
            with ExitStack() as undoing:
                self._run(report, stop, undoing)
        except EffectsError as error:
            self._eager = None
            self._times.eager = None
            self._no_eager(str(error))

    def _no_eager(self, why: str) -> None:
        self._times.notes.append(NOT_TIMED_WITHOUT_JIT.format(name=self._name, why=why))

    def _run(self, report: Report, stop: Stop, undoing: ExitStack) -> None:
        report("getting ready", None, None)
        self._warm = self._make_warm()
        recorded_call = self._program.held
        if recorded_call is None or self._program.origin == "derived":
            self._no_eager(NO_RECORDED_CALL.format(name=self._name))
        elif not self._same_program:
            self._no_eager(RESULT_MAY_DIFFER)
        elif not stop():
            report("first call without jit", None, None)
            self._eager = self._make_eager(recorded_call, undoing)
        timed = [timed_call for timed_call in (self._warm, self._eager) if timed_call is not None]

        def between() -> bool:
            share = sum(timed_call.share for timed_call in timed) / len(timed)
            report("timing", int(100 * share), 100)
            return stop()

        take_blocks(timed, between)

    def take(self) -> None:
        """Store the measured times in the result."""
        times = self._times
        if self._warm is not None:
            times.warm = self._warm.warm()
        if self._eager is not None:
            times.eager = self._eager.warm()
            share = self._eager.compiling_share
            times.compiling = 0.0 if times.eager is None else share * times.eager.median
        for timed in (self._warm, self._eager):
            if timed is not None and timed.error is not None:
                times.notes.append(CALL_RAISED.format(name=self._name, error=words(timed.error)))
        for label, warm in (("warm call", times.warm), ("call without jit", times.eager)):
            if warm is not None and warm.runs == 1 and warm.median > self._slow:
                times.notes.append(ONE_CALL_TIMED.format(call=label, seconds=duration(warm.median)))

    # --- warm ---

    def _make_warm(self) -> Guarded:
        program, recorded_call = self._program, self._program.held
        if program.executable is None and program.origin == "traced" and program.traced is not None:
            with self._observer.looking_away() as events:
                program.lowered = program.lowered or program.traced.lower()
                program.executable = program.lowered.compile()
                if events():
                    self._times.notes.append(COMPILED_FOR_TIMING.format(name=self._name))
        why = NO_FUNCTION
        if program.origin == "derived" or recorded_call is None:
            why = DERIVED_PROGRAM.format(name=self._name)
            if program.origin != "derived":
                why = NO_RECORDED_CALL.format(name=self._name)
        elif (jitted := recorded_call.jitted()) is not None:
            arguments = recorded_call.arguments(self._leaves, jitted=True)
            if arguments is not None and self._is_program_of(jitted, arguments):
                return self._timed(jitted, arguments, self._donated(arguments))
            self._same_program = False
            why = OTHER_PROGRAM
        self._times.notes.append(BY_EXECUTABLE.format(why=why))
        return self._timed_executable()

    def _is_program_of(self, jitted: Any, call_arguments: Given) -> bool:
        try:
            traced = call_leaves(jitted, *call_arguments)
        # JAX's private function does not work in this version of JAX, so the executable is timed, not the jitted call.
        except not_of_a_signal(Exception):
            return False
        return traced is not None and traced[0] is self._program.jaxpr

    def _timed_executable(self) -> Guarded:
        import jax

        executable = self._program.executable
        if executable is None:
            raise ValuesGone(NO_EXECUTABLE)
        tree = executable.in_tree
        arguments = jax.tree_util.tree_unflatten(tree, self._leaves[len(self._leaves) - tree.num_leaves :])
        return self._timed(executable, arguments, self._donated(arguments))

    def _donated(self, call_arguments: Given) -> list[bool]:
        """Return, for each leaf of the arguments, whether the call donates it."""
        import jax

        flags = self._program.donated
        donated_ids = {id(leaf) for leaf, flag in zip(self._leaves[-len(flags) or None :], flags, strict=False) if flag}
        return [id(leaf) in donated_ids for leaf in jax.tree_util.tree_leaves(call_arguments)]

    def _timed(self, call: Callable[..., Any], call_arguments: Given, donated: Sequence[bool]) -> Guarded:
        return Guarded(call, *call_arguments, donated=donated, slow=self._slow)

    # --- without jit ---

    def _make_eager(self, held_call: HeldCall, undoing: ExitStack) -> _WithStages | None:
        """Call the function once without jit, so that JAX compiles its operations.

        Return the timer of further calls.
        """
        import jax

        times, fun, arguments = self._times, held_call.fun, held_call.arguments(self._leaves)
        if fun is None or arguments is None:
            self._no_eager(NO_PLAIN_FUNCTION if fun is None else NO_STATIC)
            return None
        # a wrapper such as that of equinox or flax is called like a plain function
        if "jit" in type(fun).__name__.lower():
            library = type(fun).__module__.partition(".")[0]
            self._no_eager(JIT_OF_LIBRARY.format(library=library, name=self._name))
            return None
        try:
            undoing.enter_context(undone(self._name, fun, *arguments, watched=False))
        except EffectsError as error:
            self._no_eager(str(error))
            return None
        mine = copied(arguments)
        try:
            jax.block_until_ready(mine)
            with self._observer.looking_away() as events, self._observer.stage_seconds() as stages:
                began = time.perf_counter()
                jax.block_until_ready(fun(*mine[0], **mine[1]))
                took = time.perf_counter() - began
                compiling, compiled = stages(), events()
        except not_of_a_signal(Exception) as error:
            self._no_eager(EAGER_CALL_RAISED.format(error=words(error)))
            return None
        is_deleted_by_leaf = [
            isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in jax.tree_util.tree_leaves(mine)
        ]
        if took - compiling > self._slow:
            if compiled:
                times.notes.append(COMPILES_LEFT_OUT.format(seconds=duration(compiling)))
            seconds = took - compiling
            times.eager = Warm(seconds, seconds, seconds, seconds, runs=1, batch=1, dispatch=seconds, calls=1)
            return None
        self._note_inner_jits(fun, arguments)
        return _WithStages(self._observer, fun, *arguments, donated=is_deleted_by_leaf, slow=self._slow)

    def _note_inner_jits(self, fun: Callable[..., Any], call_arguments: Given) -> None:
        """Call the function once without jit, and add a note that names the jitted functions which it calls."""
        import jax

        calls = LastCalls(lambda called, args, kwargs: None)
        args, kwargs = copied(call_arguments)
        calls.start()
        try:
            with self._observer.looking_away():
                jax.block_until_ready(fun(*args, **kwargs))
            inner = [getattr(jitted, "_fun", None) for jitted in calls.calls]
        except not_of_a_signal(Exception):  # no note here: the timed calls raise the same error, and add a note
            return
        finally:
            calls.stop()
        names = dict.fromkeys(
            name_of(inner_function)
            for inner_function in inner
            if inner_function is not None and inner_function is not fun and is_users(inner_function)
        )
        if names:
            self._times.notes.append(CALLS_JITTED_FUNCTIONS.format(name=self._name, functions=", ".join(names)))


class _WithStages(Guarded):
    """An eager call that is timed, together with the seconds that JAX spends on stages in each sample.

    If JAX compiles in a sample after the first one, JAX compiles in each call, because a function inside, such as the
    body of a scan, is a new function object each time.
    """

    def __init__(self, observer: Observer, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._observer = observer
        self._total = self._stages = 0.0
        self._turns_done = 0
        self._is_each = True  # true if JAX ran stages in every sample after the first one

    def turn(self) -> None:
        """Take one sample, and add up the seconds that JAX spent on stages in the sample."""
        with self._observer.looking_away(), self._observer.stage_seconds() as stages:
            began = time.perf_counter()
            super().turn()
            self._total += time.perf_counter() - began
            self._stages += stages()
            self._is_each &= self._turns_done == 0 or stages() > 0
            self._turns_done += 1

    @property
    def compiling_share(self) -> float:
        """The share of the time that JAX spent on stages; 0 if a sample after the first one needed no stage."""
        return self._stages / self._total if self._total and self._is_each else 0.0
