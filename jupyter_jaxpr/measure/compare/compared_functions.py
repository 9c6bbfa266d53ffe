"""Calls several functions (variants) on the arguments of one call, and measures and compares them.

The user requested the comparison (`--compare f,g,h`, or a button), so the functions run. Each is called once, with the
stage times from JAX's events; then it is called repeatedly for a fraction of a second. A plain function is jitted by
this package as a new function object, so that JAX's caches for the user's function stay untouched; if JAX cannot trace
it, it is called without jit. The results are compared with the result of the first function.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...interruptions import not_of_a_signal
from ...jax.effect_names import program_effects
from ...jax.facts import is_jitted, jit_name
from ...observe.calls.printed_output import PrintRecorder
from ...observe.functions.jitted_copies import jitted_copy, static_names
from ...observe.observation import ObservedFunction, ObservedProgram, StageTimes
from ...observe.observer import Observer
from ...observe.own_traces.trace_of_call import trace_call
from ...observe.side_effects.refused_and_undone_traces import undone
from ...observe.stage_times_of_call import CallStages
from ...quantities import duration
from ..times.repeated_calls import SLOW, Guarded, Stop, Warm, copied, take_turns
from .agreement_of_results import Agreement, agreement, result_text
from .compile_times import compile_samples
from .differentiation import Differentiable, differentiability, words
from .remarks_on_compared_functions import (
    CALL_RAISED,
    CALLED_WITH_STATICS,
    CALLED_WITHOUT_JIT,
    COMPARISON_INTERRUPTED,
    COMPARISON_STOPPED,
    COMPILE_TIME_UNKNOWN,
    COMPILED_EARLIER,
    EFFECTS_NOT_REPEATED,
    JITTED_BY_COMPARISON,
    MADE_BY_COMPARISON,
    NO_DERIVATIVE_TRIED,
    RAISED_AT_VALUE,
    SLOW_CALL,
)

Mode = Literal["jitted", "jitted_here", "eager", "missing"]
Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Candidate:
    """A function to compare.

    If there is no function, `missing` is a sentence with the reason.
    """

    name: str
    fun: Any = None
    missing: str | None = None


@dataclass(frozen=True)
class Sweep:
    """Further calls of the variants, with other sizes. The comparison counts how often JAX compiles in these calls."""

    text: str
    calls: Sequence[tuple[str, tuple[Any, ...], dict[str, Any]]] = ()


@dataclass
class Variant:
    """The measurements of one function; `document.types.comparison.Variant` has the same fields."""

    name: str
    mode: Mode = "jitted"
    # the function with the program that JAX made of it; None without a program
    function: ObservedFunction | None = None
    trace: float | None = None
    lower: float | None = None
    compile: float | None = None
    from_disk: bool = False
    warm: Warm | None = None
    differentiable: Differentiable = field(default_factory=lambda: Differentiable("unknown"))
    recompiles: int | None = None
    result: str | None = None
    agreement: Agreement | None = None
    error: str | None = None
    notes: list[str] = field(default_factory=list)
    calls: int = 0
    compile_samples: Sequence[float] = ()  # `compile_samples`: the seconds of the repeated compiles by XLA.
    compiled_before: bool = False  # `compiled_before`: JAX had compiled the program before.

    @property
    def program(self) -> ObservedProgram | None:
        """The program that JAX made; None if JAX could not trace the function."""
        return self.function.programs[0] if self.function is not None else None


@dataclass
class Comparison:
    """The measured variants of one comparison.

    The module `verdict` makes the sentences on them.
    """

    call: str
    variants: list[Variant]
    stopped: str | None = None
    sweep: str | None = None


def compare(
    observer: Observer,
    candidates: Sequence[Candidate],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    call: str,
    *,
    sweep: Sweep | None = None,
    repeat_effects: bool = False,
    report: Report = lambda text, done, total: None,
    stop: Stop = lambda: False,
) -> Comparison:
    """Call each function on the same arguments and compare them; an exception is stored as the error of the variant.

    Args:
        observer: The observer; it records only calls of jitted functions.
        candidates: The functions, in order.
        args: The positional arguments; arrays that a function would donate are copied before its call.
        kwargs: The keyword arguments.
        call: The arguments as the user wrote them.
        sweep: Further calls, of which only the compiles are counted.
        repeat_effects: True to call a function more than once even if it has effects.
        report: Called with a text on the present step, the number of finished steps and the number of all steps.
        stop: Called between steps and runs; returns True to stop and keep the results so far.
    """
    comparison = Comparison(
        call, [Variant(candidate.name) for candidate in candidates], sweep=sweep.text if sweep else None
    )
    trials = []
    for candidate, variant in zip(candidates, comparison.variants, strict=True):
        if candidate.missing is not None:
            variant.mode, variant.error = "missing", candidate.missing
        else:
            trials.append(Trial(observer, candidate, variant, tuple(args), dict(kwargs), repeat_effects, stop))
    carry_out(observer, comparison, trials, sweep, report, stop)
    return comparison


def carry_out(
    observer: Observer,
    comparison: Comparison,
    trials: Sequence[Trial],
    sweep: Sweep | None,
    report: Report,
    stop: Stop,
) -> None:
    """Call, time and differentiate each variant; `comparison.stopped` says why the comparison ended early."""
    reference: list[Any] = []
    steps: list[tuple[str, Callable[[], None]]] = [
        *((f"calling {trial.name}", functools.partial(trial.first, reference)) for trial in trials),
        ("compiling again", lambda: _compile_again(observer, trials, stop)),
        ("timing the warm calls", lambda: _time(observer, trials, stop)),
        *((f"differentiating {trial.name}", functools.partial(trial.measure_further, sweep)) for trial in trials),
    ]
    for steps_done, (doing, work) in enumerate(steps):
        if stop():
            comparison.stopped = COMPARISON_STOPPED.format(step=doing)
            break
        report(doing, steps_done, len(steps))
        try:
            work()
        except KeyboardInterrupt:
            comparison.stopped = COMPARISON_INTERRUPTED.format(step=doing)
            break


def _compile_again(observer: Observer, trials: Sequence[Trial], stop: Stop) -> None:
    """Compile all variants several times, alternately."""
    with observer.looking_away():
        samples = compile_samples([trial.compiles_again() for trial in trials], stop)
    for compared_trial, seconds in zip(trials, samples, strict=True):
        compared_trial.variant.compile_samples = seconds


def _time(observer: Observer, trials: Sequence[Trial], stop: Stop) -> None:
    """Time the warm calls of all variants, alternately."""
    timed = [trial for trial in trials if trial.may_be_repeated()]
    prints = PrintRecorder(lambda: "", swallow=True)
    prints.start()
    try:
        with observer.looking_away():
            for timed_trial in timed:
                timed_trial.make_timed()
            take_turns([timed_trial.timed for timed_trial in timed if timed_trial.timed is not None], stop)
    finally:
        prints.stop()
        for timed_trial in timed:
            timed_trial.take_times()


class Trial:
    """Calls, times and differentiates one function of a comparison, and stores the results in its variant."""

    def __init__(
        self,
        observer: Observer,
        candidate: Candidate,
        variant: Variant,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        repeat_effects: bool,
        stop: Stop,
    ) -> None:
        self._observer = observer
        self.variant = variant
        self._fun = candidate.fun
        self._args = args
        self._kwargs = kwargs
        self._repeat_effects = repeat_effects
        self._stop = stop
        self._call: Any = candidate.fun
        self._donated: list[bool] = []
        self._first_run = 0.0
        self._first_call = StageTimes()
        self._effects: list[str] = []
        self.timed: Guarded | None = None

    @property
    def name(self) -> str:
        """The name by which the user gave the function."""
        return self.variant.name

    # --- the first call ---

    def first(self, reference: list[Any]) -> None:
        """Call the function once, store its stage times, and compare its result with the first variant's."""
        variant = self.variant
        try:
            with undone(self.name, self._fun, self._args, self._kwargs, watched=False):
                result = self._first()
        except not_of_a_signal(Exception) as error:
            variant.error = words(error)
            return
        variant.result = result_text(result)
        if not reference:
            reference.append(result)
        variant.agreement = agreement(reference[0], result)

    def _first(self) -> Any:
        return self._first_jitted() if is_jitted(self._fun) else self._first_plain()

    def _first_jitted(self) -> Any:
        """Call a function that the user jitted; JAX keeps the resulting cache entry."""
        fun, variant = self._fun, self.variant
        result, stages = self._run(fun, jit_name(fun._fun))
        note = MADE_BY_COMPARISON.format(name=variant.name)
        variant.function = trace_call(self._observer, fun, self._args, self._kwargs, note).function
        program = variant.program
        self._effects = program_effects(program.jaxpr) if program is not None else []
        if stages.compiles or stages.lowerings:
            self._take(stages.stages_only())
            if program is not None:
                program.origin, program.origin_note = "ran", note
            return result
        self.variant.compiled_before = True
        if program is None or program.stages is None or program.stages.compile is None:
            variant.notes.append(COMPILE_TIME_UNKNOWN.format(name=variant.name))
            return result
        self._take(program.stages)
        variant.notes.append(COMPILED_EARLIER.format(name=variant.name))
        return result

    def _first_plain(self) -> Any:
        """Call a plain function under a `jax.jit` of this package, or without jit if JAX cannot trace it."""
        variant = self.variant
        note = JITTED_BY_COMPARISON.format(name=variant.name)
        why = ""
        for scalars in (False, True):
            statics = static_names(self._fun, self._args, self._kwargs, scalars)
            jitted = jitted_copy(self._fun, statics)
            with self._observer.listening(jit_name(jitted._fun)) as traced:
                trace = trace_call(self._observer, jitted, self._args, self._kwargs, note)
            if trace.error is None:
                variant.mode, variant.function, self._call = "jitted_here", trace.function, jitted
                if scalars:
                    variant.notes.append(CALLED_WITH_STATICS.format(name=variant.name, statics=", ".join(statics)))
                return self._first_traced(traced)
            why = why or words(trace.error)
        return self._first_eager(why)

    def _first_traced(self, traced: CallStages) -> Any:
        program = self.variant.program
        assert program is not None
        self._effects = program_effects(program.jaxpr)
        with self._observer.looking_away():
            result, _ = self._run(self._call, jit_name(self._call._fun))
            program.origin = "ran"
            call, trace = self._first_call, traced.stages_only().trace
            program.stages = replace(call, trace=trace, total=(call.total or 0.0) + (trace or 0.0))
            self._take(program.stages)
        with self._observer.looking_away() as events:
            program.lowered = program.traced.lower()
            if not events():  # no event: JAX has the trace and the lowering in its caches, so no stage ran again
                program.executable = program.lowered.compile()
        return result

    def _first_eager(self, why: str | None) -> Any:
        variant = self.variant
        variant.mode = "eager"
        variant.notes.append(CALLED_WITHOUT_JIT.format(name=variant.name, why=why))
        prints = PrintRecorder(lambda: variant.name, swallow=True)
        with self._observer.looking_away():
            result, _ = self._run(self._fun, "", prints)
        if prints.printed:
            self._effects = ["print"]
        return result

    def _run(self, call: Callable[..., Any], name: str, prints: PrintRecorder | None = None) -> tuple[Any, CallStages]:
        """Call the function once and wait for the result; record which arguments the call donated."""
        import jax

        variant = self.variant
        prints = prints or PrintRecorder(lambda: variant.name, swallow=True)
        with ExitStack() as stack:
            with self._observer.looking_away():
                args, kwargs = copied((self._args, self._kwargs)) if _may_donate(call) else (self._args, self._kwargs)
                jax.block_until_ready((args, kwargs))
            stages = stack.enter_context(self._observer.listening(name))
            prints.start()
            stack.callback(prints.stop)
            stages.started_at = time.perf_counter()
            variant.calls += 1
            result = call(*args, **kwargs)
            returned_at = time.perf_counter()
            jax.block_until_ready(result)
            took = time.perf_counter() - stages.started_at
        self._first_run = took - sum(stages.by_name().values())
        self._first_call = stages.times(returned_at)
        self._donated = [
            isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in jax.tree_util.tree_leaves((args, kwargs))
        ]
        return result, stages

    def _take(self, times: StageTimes) -> None:
        variant = self.variant
        variant.trace, variant.lower, variant.compile = times.trace, times.lower, times.compile
        variant.from_disk = times.from_disk

    # --- again ---

    def compiles_again(self) -> ObservedProgram | None:
        """Return the program that XLA may compile again without asking the user.

        None if the compile would take long.
        """
        variant = self.variant
        # If JAX read the executable from disk, `compile` is the time of reading. A second compile without asking the
        # user may then take much longer.
        if variant.result is None or variant.compile is None or variant.compile > SLOW or variant.from_disk:
            return None
        return variant.program

    def may_be_repeated(self) -> bool:
        """Return whether the function may be called again without asking the user; if not, a note says why."""
        variant = self.variant
        if variant.result is None:
            return False
        if self._effects and not self._repeat_effects:
            variant.notes.append(EFFECTS_NOT_REPEATED.format(name=variant.name, effects=", ".join(self._effects)))
            return False
        if self._first_run > SLOW:
            variant.notes.append(SLOW_CALL.format(name=variant.name, seconds=duration(self._first_run)))
            return False
        return True

    def make_timed(self) -> None:
        """Prepare the timing of the warm calls."""
        self.timed = Guarded(self._call, self._args, self._kwargs, donated=self._donated)

    def take_times(self) -> None:
        """Store the measured times in the variant."""
        variant, timed = self.variant, self.timed
        if timed is None:
            return
        variant.warm = timed.warm()
        variant.calls += variant.warm.calls if variant.warm is not None else 0
        if timed.error is not None:
            variant.notes.append(CALL_RAISED.format(name=variant.name, error=words(timed.error)))

    def measure_further(self, sweep: Sweep | None) -> None:
        """Find out by traces whether jvp and grad work, and count the compiles of the calls of the sweep."""
        variant = self.variant
        if variant.result is not None and sweep is not None and variant.mode != "eager":
            self._sweep(sweep)
        if variant.program is None:
            if variant.mode == "eager":
                why = NO_DERIVATIVE_TRIED
                variant.differentiable = Differentiable("unknown", why)
            return
        prints = PrintRecorder(lambda: variant.name, swallow=True)
        prints.start()
        try:
            with self._observer.looking_away():
                variant.differentiable = self._differentiability()
        finally:
            prints.stop()

    def _differentiability(self) -> Differentiable:
        return differentiability(self._call, self._args, self._kwargs)

    def _sweep(self, sweep: Sweep) -> None:
        """Make the calls of `Sweep` and count their compiles."""
        import jax

        variant = self.variant
        compiles = 0 if variant.compiled_before else 1
        name = jit_name(getattr(self._call, "_fun", self._call))
        for text, args, kwargs in sweep.calls:
            if self._stop():
                return
            prints = PrintRecorder(lambda: variant.name, swallow=True)
            with ExitStack() as stack:
                if variant.mode == "jitted_here":
                    stack.enter_context(self._observer.looking_away())
                stages = stack.enter_context(self._observer.listening(name))
                prints.start()
                stack.callback(prints.stop)
                variant.calls += 1
                try:
                    jax.block_until_ready(self._call(*copied(args), **copied(kwargs)))
                except not_of_a_signal(Exception) as error:
                    variant.notes.append(RAISED_AT_VALUE.format(name=variant.name, value=text, error=words(error)))
            compiles += stages.compiles
        variant.recompiles = compiles


def _may_donate(call: Callable[..., Any]) -> bool:
    """Return whether a call may donate arguments; True if unknown."""
    options = getattr(call, "_jit_info", None)
    return bool(getattr(options, "donate_argnums", True)) or bool(getattr(options, "donate_argnames", True))
