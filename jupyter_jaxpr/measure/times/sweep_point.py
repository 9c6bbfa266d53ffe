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
from ...program.costs.memory import xla_memory
from ...program.jaxpr.parameters import open_jaxpr
from ...program.jaxpr.walk import Walk
from ...quantities import duration
from ..compare.differentiation import words
from ..compare.variants import Candidate, static_note
from .repeated_calls import BUDGET, SLOW, Stop, Warm, copied, warm_time

# A call that is expected to take more seconds than this is left out, unless the user agreed.
TOO_LONG = 10.0
# A series is assumed to grow at most with this power of the swept number.
_STEEPEST = 4.0

Series = Literal["eager", "first", "warm", "compile", "equations", "bytes"]
SERIES: tuple[Series, ...] = ("eager", "first", "warm", "compile", "equations", "bytes")


EFFECTS = (
    "{name} has effects ({effects}). The sweep calls {name} many times at each value, and each call repeats the "
    "effects. Run the sweep?"
)


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


class Growth:
    """Predicts from the durations at earlier numbers whether the next call would take too long.

    Attributes:
        over: True if a call was already left out because it would take too long.
    """

    def __init__(self) -> None:
        self._samples: list[tuple[float, float]] = []
        self.over = False

    def too_long(self, number: float | None) -> bool:
        """Return whether a call at `number` would take too long and is left out."""
        expected = self.expected(number)
        return self.over or (expected is not None and expected > TOO_LONG)

    def took(self, number: float | None, seconds: float) -> None:
        """Record that a call took `seconds` when the swept number was `number`."""
        if number is not None and number > 0:
            self._samples.append((number, max(seconds, 1e-9)))

    def expected(self, number: float | None) -> float | None:
        """Return the expected seconds at a larger number, predicted from the last two calls.

        None if there is no prediction.
        """
        if not self._samples or number is None:
            return None
        last, seconds = max(self._samples)
        if number <= last:
            return None
        steps = sorted(self._samples)[-2:]
        exponent = 1.0
        if len(steps) == 2 and steps[0][0] < steps[1][0]:
            exponent = math.log(steps[1][1] / steps[0][1]) / math.log(steps[1][0] / steps[0][0])
        growth = min(max(exponent, 0.0), _STEEPEST) * math.log(number / last)
        return seconds * math.exp(min(growth, 700.0))


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
            self._notes.append(static_note(self.name, statics))
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
        self._notes.append(
            f"{self.name} has effects ({', '.join(effects)}), which each call repeats, so {self.name} was traced and "
            "not called. To time the calls, run the sweep from the Time tab, which asks first."
        )

    def _note_one_call(self, jaxpr: Any) -> None:
        """Add a note if the Python of a plain function does nothing but call another jitted function."""
        only = jaxpr.eqns[0] if len(jaxpr.eqns) == 1 else None
        if only is None or only.primitive.name not in ("jit", "pjit") or self._one_call:
            return
        self._one_call = True
        self._notes.append(
            f"{self.name} only calls {only.params['name']}, which is jitted, so the eager times of {self.name} are of "
            "compiled code too."
        )

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
                    f"A call takes {duration(run)}. The warm time is a single sample: the execution in the first call.",
                )
            else:
                self._note(point, f"A call takes over {duration(SLOW)}, so no warm call was timed.")
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
        self._notes.append(f"JAX cannot trace {self.name}, so {self.name} has only eager times. {why}")

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
            if seconds > SLOW and not self._confirmed and (not compiled or seconds > TOO_LONG):
                point.eager = _timed_once(seconds, seconds)
                text = f"The eager time, {duration(seconds)}, is of one call."
                if compiled:
                    text = f"The eager time, {duration(seconds)}, is of one call and includes compiling its operations."
                self._note(point, text)
            else:
                budget = BUDGET / 100 if self._effects else BUDGET
                point.eager = warm_time(call, args, kwargs, donated=donated, stop=self._stop, budget=budget)
        except not_of_a_signal(Exception) as error:
            if self._traceable:
                self._note(point, f"The eager time is unknown: the call without jit raised {words(error)}")
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
                f"{measurement} are left out from this value of {self._swept_name} on: a call was expected to take "
                f"{expected}. To measure {self._swept_name} = {point.value} anyway, make {point.value} the first "
                "value.",
            )
        return False

    def _note(self, point: Point, text: str) -> None:
        self._notes.append(f"{self.name} at {self._swept_name} = {point.value}: {text}")


def _timed_once(seconds: float, dispatch: float) -> Warm:
    """Return the `Warm` times of a call that was timed only once."""
    return Warm(seconds, seconds, seconds, seconds, runs=1, batch=1, dispatch=dispatch, calls=1)
