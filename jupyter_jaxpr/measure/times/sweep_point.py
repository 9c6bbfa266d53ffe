"""Measures one point of a sweep: the eager call, first call and warm call of a function, and its program.

At each value the function is traced, called and timed under a `jax.jit` of a new function object, so that the first
call includes the compile, and JAX's caches for the user's function stay untouched; then the plain Python is called
without jit.

A call of more than a second is measured once. If the earlier times predict that the next call takes too long, this call
and those at larger values are left out, unless the user has agreed to wait.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ...interruptions import not_of_a_signal
from ...jax.effect_names import program_effects
from ...jax.facts import is_deleted, is_jitted, jit_name
from ...observe.calls.printed_output import PrintRecorder
from ...observe.functions.jitted_copies import jitted_anew, jitted_copy, static_names
from ...observe.observer import Observer
from ...program.costs import Costs
from ...program.costs.memory_of_program import xla_memory
from ...program.jaxpr.parameters import open_jaxpr
from ...program.jaxpr.walk import Walk
from ...quantities import duration
from ..compare.compared_functions import Candidate
from ..compare.differentiation import words
from ..compare.remarks_on_compared_functions import CALLED_WITH_STATICS
from . import sweep_time_limit
from .repeated_calls import BUDGET, SLOW, Stop, Warm, copied, warm_time
from .sweep_sentences import (
    EFFECTS,
    FUNCTION_REPEATS_EFFECTS,
    LEFT_OUT_FROM_HERE,
    NO_EAGER_TIME,
    NO_WARM_CALL,
    ONE_EAGER_CALL,
    ONE_EAGER_CALL_WITH_COMPILES,
    ONE_WARM_CALL,
    ONLY_CALLS_JITTED,
    ONLY_EAGER_TIMES,
)
from .sweep_time_limit import Growth

Series = Literal["eager", "first", "warm", "compile", "equations", "bytes"]
SERIES: tuple[Series, ...] = ("eager", "first", "warm", "compile", "equations", "bytes")


@dataclass
class Point:
    """The measurements of one function at one value; the fields are those of the document's `SweepPoint`."""

    function: str
    value: str
    number: float | None = None
    eager: Warm | None = None
    warm: Warm | None = None
    first: float | None = None
    trace: float | None = None
    lower: float | None = None
    compile: float | None = None
    from_disk: bool = False
    equations: int | None = None
    bytes: int | None = None
    flops: int | None = None
    error: str | None = None

    def of(self, series: Series) -> float | None:
        """Return the value of a series at this point; for a time, the median."""
        if series == "eager":
            return self.eager.median if self.eager is not None else None
        if series == "warm":
            return self.warm.median if self.warm is not None else None
        if series == "first":
            return self.first
        if series == "compile":
            return self.compile
        return self.equations if series == "equations" else self.bytes

    def spread(self, series: Series) -> float:
        """Return half the range of the middle half of the samples, relative to the median; 0 for a single sample."""
        time = self.eager if series == "eager" else self.warm if series == "warm" else None
        return 0.0 if time is None or not time.lower else math.log(time.upper / time.lower) / 2


class Swept:
    """Measures one function at the values of a sweep.

    Args:
        observer: The observer, which records nothing meanwhile.
        candidate: The function.
        notes: A list to which sentences are added on what was not measured, and why.
        name: The name that the sweep varies.
        confirmed: True if the user agreed to repeated effects and long calls.
        ask: True to ask the user about effects; False to leave such calls out.
        stop: Called between steps.

    Attributes:
        question: The question that the user must confirm first; None if none is needed.
    """

    def __init__(
        self,
        observer: Observer,
        candidate: Candidate,
        notes: list[str],
        name: str,
        confirmed: bool,
        ask: bool,
        stop: Stop,
    ) -> None:
        self.name = candidate.name
        self._observer = observer
        self._fun = candidate.fun
        self._jitted = is_jitted(candidate.fun)
        self.question: str | None = None
        self._notes = notes
        self._swept_name = name
        self._confirmed = confirmed
        self._ask = ask
        self._stop = stop
        self._scalars = False  # true once a trace has shown that Python numbers must be static arguments
        self._traceable = True
        self._effects: list[str] = []
        self._one_call = False
        self._first, self._eager = Growth(), Growth()

    def takes_too_long(self, number: float | None) -> bool:
        """Return whether all kinds of calls at this value are expected to take too long."""
        kinds = [self._eager, self._first] if self._traceable else [self._eager]
        return not self._confirmed and all(kind.too_long(number) for kind in kinds)

    def measure(
        self, point: Point, args: tuple[Any, ...], kwargs: dict[str, Any], doing: Callable[[str], None]
    ) -> None:
        """Measure one point of a sweep, and store the measurements in it."""
        import jax

        jax.block_until_ready((args, kwargs))
        if self._traceable and self._may(self._first, point, "The first call and the warm calls"):
            self._under_jit(point, args, kwargs, doing)
        if point.error is None and self.question is None and not self._stop():
            if self._effects and not self._confirmed:
                return
            if self._may(self._eager, point, "The eager calls"):
                doing("eager calls")
                self._without_jit(point, args, kwargs)

    # --- under jit ---

    def _under_jit(self, point: Point, args: Any, kwargs: Any, doing: Callable[[str], None]) -> None:
        doing("tracing")
        try:
            jitted, traced, stages, seconds = self._traced(args, kwargs)
        except not_of_a_signal(Exception) as error:
            if self._jitted:
                point.error = words(error)
            elif not self._stop():
                self._cannot_trace(point, args, kwargs, words(error))
            return
        point.trace = stages.trace
        walk = Walk()
        scope = walk.program(traced.jaxpr)
        point.equations = walk.scopes[scope].total
        point.flops = Costs(walk).scope(scope)
        self._note_effects(program_effects(traced.jaxpr))
        self._note_one_call(open_jaxpr(traced.jaxpr))
        if self.question is not None or (self._effects and not self._confirmed):
            return
        doing("first call")
        try:
            self._called(point, jitted, traced, args, kwargs, seconds, doing)
        except not_of_a_signal(Exception) as error:
            point.error = words(error)

    def _traced(self, args: Any, kwargs: Any) -> tuple[Any, Any, Any, float]:
        """Return a new jitted function and its trace.

        Python numbers become static arguments of a plain function if JAX cannot trace it otherwise.
        """
        if self._jitted:
            return self._trace(jitted_anew(self._fun), args, kwargs)
        if not self._scalars:
            try:
                return self._trace(self._copy(args, kwargs, False), args, kwargs)
            except not_of_a_signal(Exception) as error:
                if static_names(self._fun, args, kwargs, True) == static_names(self._fun, args, kwargs, False):
                    raise
                first = error
            try:
                with_statics = self._trace(self._copy(args, kwargs, True), args, kwargs)
            except not_of_a_signal(Exception):
                raise first from None
            self._scalars = True
            statics = ", ".join(static_names(self._fun, args, kwargs, True))
            self._notes.append(CALLED_WITH_STATICS.format(name=self.name, statics=statics))
            return with_statics
        return self._trace(self._copy(args, kwargs, True), args, kwargs)

    def _copy(self, args: Any, kwargs: Any, scalars: bool) -> Any:
        return jitted_copy(self._fun, static_names(self._fun, args, kwargs, scalars))

    def _trace(self, jitted: Any, args: Any, kwargs: Any) -> tuple[Any, Any, Any, float]:
        with self._observer.listening(jit_name(jitted._fun)) as stages:
            start = time.perf_counter()
            traced = jitted.trace(*args, **kwargs)
            seconds = time.perf_counter() - start
        return jitted, traced, stages.stages_only(), seconds

    def _note_effects(self, effects: list[str]) -> None:
        if not effects or self._effects:
            return
        self._effects = effects
        if self._confirmed:
            return
        if self._ask:
            self.question = EFFECTS.format(name=self.name, effects=", ".join(effects))
            return
        self._notes.append(FUNCTION_REPEATS_EFFECTS.format(name=self.name, effects=", ".join(effects)))

    def _note_one_call(self, jaxpr: Any) -> None:
        """Add a note if the Python of a plain function does nothing but call another jitted function."""
        only = jaxpr.eqns[0] if len(jaxpr.eqns) == 1 else None
        if only is None or only.primitive.name not in ("jit", "pjit") or self._one_call:
            return
        self._one_call = True
        self._notes.append(ONLY_CALLS_JITTED.format(name=self.name, called=only.params["name"]))

    def _called(
        self,
        point: Point,
        jitted: Any,
        traced: Any,
        args: Any,
        kwargs: Any,
        trace_seconds: float,
        doing: Callable[[str], None],
    ) -> None:
        """Measure the first call and the warm calls of a jitted function."""
        import jax

        # Only a function that the user jitted can donate arguments.
        passed, keywords = copied((args, kwargs)) if self._jitted else (args, kwargs)
        jax.block_until_ready((passed, keywords))
        with self._observer.listening(jit_name(jitted._fun)) as stages:
            start = time.perf_counter()
            result = jitted(*passed, **keywords)
            returned = time.perf_counter()
            jax.block_until_ready(result)
            ended = time.perf_counter()
        donated = [is_deleted(leaf) for leaf in jax.tree_util.tree_leaves((passed, keywords))]
        del result, passed, keywords
        times = stages.times(ended)
        point.first = trace_seconds + (ended - start)
        point.lower, point.compile, point.from_disk = times.lower, times.compile, times.from_disk
        self._first.took(point.number, point.first)
        point.bytes = self._bytes(traced)
        if point.bytes is None:
            self._note(
                point, "XLA reports no memory sizes, so the bytes of arguments, results and temporaries are unknown."
            )
        compiled_at = stages.compiled_at
        run = ended - start if compiled_at is None else ended - compiled_at
        if run > SLOW and not self._confirmed:
            if compiled_at is not None:
                point.warm = _timed_once(run, max(returned - compiled_at, 0.0))
                self._note(
                    point,
                    ONE_WARM_CALL.format(seconds=duration(run)),
                )
            else:
                self._note(point, NO_WARM_CALL.format(seconds=duration(SLOW)))
            return
        if not self._stop():
            doing("warm calls")
            budget = BUDGET / 100 if self._effects else BUDGET
            point.warm = warm_time(jitted, args, kwargs, donated=donated, stop=self._stop, budget=budget)

    def _bytes(self, traced: Any) -> int | None:
        """Return the bytes of arguments, results and temporary memory that XLA reports for the called executable."""
        with self._observer.looking_away() as events:
            try:
                lowered = traced.lower()
                # `compile` is fast here: JAX still has the executable of the timed call in its cache.
                executable = lowered.compile() if not events() else None
            # compiling does not work in this version of JAX, so the bytes are unknown
            except not_of_a_signal(Exception):
                return None
        numbers = xla_memory(executable)
        parts = [numbers.get(part) for part in ("arguments", "results", "temporaries")]
        return None if any(part is None for part in parts) else sum(part or 0 for part in parts)

    def _cannot_trace(self, point: Point, args: Any, kwargs: Any, why: str) -> None:
        """Handle a plain function that JAX cannot trace: time the function without jit, unless it raises then, too."""
        try:
            self._fun(*copied(args), **copied(kwargs))
        except not_of_a_signal(Exception) as error:
            point.error = words(error)
            return
        self._traceable = False
        self._notes.append(ONLY_EAGER_TIMES.format(name=self.name, why=why))

    # --- without jit ---

    def _without_jit(self, point: Point, args: Any, kwargs: Any) -> None:
        import jax

        call = self._fun.__wrapped__ if self._jitted else self._fun
        passed, keywords = copied((args, kwargs))
        jax.block_until_ready((passed, keywords))
        prints = PrintRecorder(lambda: self.name, swallow=True)
        try:
            with self._observer.looking_away() as events:
                prints.start()
                start = time.perf_counter()
                jax.block_until_ready(call(*passed, **keywords))
                seconds = time.perf_counter() - start
                compiled = events()
            donated = [is_deleted(leaf) for leaf in jax.tree_util.tree_leaves((passed, keywords))]
            del passed, keywords
            if seconds > SLOW and not self._confirmed and (not compiled or seconds > sweep_time_limit.TOO_LONG):
                point.eager = _timed_once(seconds, seconds)
                text = ONE_EAGER_CALL_WITH_COMPILES if compiled else ONE_EAGER_CALL
                self._note(point, text.format(seconds=duration(seconds)))
            else:
                budget = BUDGET / 100 if self._effects else BUDGET
                point.eager = warm_time(call, args, kwargs, donated=donated, stop=self._stop, budget=budget)
        except not_of_a_signal(Exception) as error:
            if self._traceable:
                self._note(point, NO_EAGER_TIME.format(error=words(error)))
            else:
                point.error = words(error)
            return
        finally:
            prints.stop()
        if point.eager is not None:
            self._eager.took(point.number, point.eager.median)

    # --- calls that a sweep leaves out ---

    def _may(self, growth: Growth, point: Point, measurement: str) -> bool:
        """Return whether a call is expected to be short enough; for the first call that is too long, add a note."""
        if self._confirmed:
            return True
        if not growth.too_long(point.number):
            return True
        if not growth.over:
            growth.over = True
            expected = duration(growth.expected(point.number))
            self._note(
                point,
                LEFT_OUT_FROM_HERE.format(
                    measurement=measurement, name=self._swept_name, value=point.value, expected=expected
                ),
            )
        return False

    def _note(self, point: Point, text: str) -> None:
        self._notes.append(f"{self.name} at {self._swept_name} = {point.value}: {text}")


def _timed_once(seconds: float, dispatch: float) -> Warm:
    """Return the `Warm` times of a call that was timed only once."""
    return Warm(seconds, seconds, seconds, seconds, runs=1, batch=1, dispatch=dispatch, calls=1)
