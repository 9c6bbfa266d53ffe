"""Runs a program that records the steps of a construct, and the original program, and compares their results.

The stepper makes the recording program. The original is the executable that JAX ran in the cell; if the program was
only traced, JAX compiles it. Both run on the same values. If the recorded run did not end, the original is not called.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...interruptions import not_of_a_signal
from ...observe.calls.arguments_of_calls import ProgramCalls
from ...observe.calls.held_or_gone_values import CallValues, ValuesGone, copied
from ...observe.observation import ObservedProgram
from ...program.jaxpr.parameters import open_jaxpr
from .compiled_stepper import Stepper
from .jaxpr_evaluation import Step, Unsteppable, types_of
from .kept_elements import array_text
from .recorded_steps import Steps
from .sentences_on_recorded_steps import (
    EFFECTS,
    NO_EXECUTABLE,
    NOT_RUN,
    NUMBER_OF_STEPS_UNKNOWN,
    ORIGINAL_NOT_COMPILED,
    OTHER_NUMBER_OF_RESULTS,
    SEVERAL_DEVICES,
    VALUES_DONATED_LATER,
    numbers_of_steps,
    values_not_recorded,
    values_of_earlier_call,
    verdict,
    why_loop_never_ends,
)


@dataclass(frozen=True)
class Pair:
    """The text of one result of the recorded run, beside the same result of the original program."""

    path: str
    equal: bool
    recorded: str
    real: str
    largest_difference: float | None


@dataclass
class Rerun:
    """The recorded steps of a construct, with the comparison with the original program."""

    steps: Steps
    pairs: list[Pair]
    verdict: str
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Construct:
    """A construct of an observed program whose steps can be recorded; the recording program is compiled once.

    Raises:
        Unsteppable: The stepper cannot run the construct; the message contains the reason and a cure.
    """

    def __init__(self, observed: ObservedProgram, way: Sequence[Step]) -> None:
        self._observed = observed
        self._real: Any = None
        with types_of(open_jaxpr(observed.jaxpr)):
            self.stepper = Stepper(observed.jaxpr, way)

    @property
    def question(self) -> str | None:
        """The question to confirm before the stepper runs the program again; None if the program has no effects."""
        effects = self.stepper.effects
        return EFFECTS.format(effects=", ".join(effects)) if effects else None

    def run(
        self,
        *,
        calls_after: bool = False,
        stopped: Callable[[], bool] = lambda: False,
        tell: Callable[[str, int | None, int | None], None] = lambda text, done, total: None,
    ) -> Rerun:
        """Run the construct on the argument values of the last call that was seen.

        Args:
            calls_after: True if the function was called again after the call with these values.
            stopped: Called during the run; returns True to stop.
            tell: Called with the progress.

        Raises:
            Unsteppable, ValuesGone: The construct cannot be run.
        """
        with types_of(open_jaxpr(self._observed.jaxpr)):
            return self._run(calls_after, stopped, tell)

    def _run(
        self, calls_after: bool, stopped: Callable[[], bool], tell: Callable[[str, int | None, int | None], None]
    ) -> Rerun:
        began = time.perf_counter()
        values = self._values()
        steps = self.stepper.run(values, stopped=stopped, tell=tell)
        notes = list(steps.notes)
        call_values = self._observed.values
        if call_values is not None and call_values.which == "compiled" and calls_after:
            earlier = values_of_earlier_call()
            notes.append(VALUES_DONATED_LATER if any(self._observed.donated) else earlier)
        notes.extend(why_loop_never_ends(steps))
        if steps.results is None:
            return Rerun(steps, [], NOT_RUN, notes, time.perf_counter() - began)
        seconds = time.perf_counter() - began
        tell("Running the original function", None, None)
        pairs, verdict = self._compare(steps.results, values, steps.trips)
        return Rerun(steps, pairs, verdict, notes, seconds)

    @property
    def kept_calls(self) -> ProgramCalls | None:
        """The calls of the cell whose arguments were kept; None if none were kept."""
        return self._observed.calls

    def run_call(self, values: CallValues, stopped: Callable[[], bool]) -> Steps:
        """Record the construct on the argument values of another call; the original program does not run.

        Raises:
            Unsteppable, ValuesGone: The construct cannot be run.
        """
        with types_of(open_jaxpr(self._observed.jaxpr)):
            return self.stepper.run(self._arrays(values), stopped=stopped)

    def _values(self) -> list[Any]:
        if self._observed.values is None:
            raise ValuesGone(self._observed.no_values or values_not_recorded())
        return self._arrays(self._observed.values)

    def _arrays(self, call_values: CallValues) -> list[Any]:
        import jax

        avals = list(self._observed.jaxpr.in_avals)
        values = call_values.get(_argument_paths(self._observed.jaxpr))
        if len(values) != len(avals):
            raise ValuesGone(values_not_recorded())
        arrays = []
        for value, aval in zip(values, avals, strict=True):
            devices = len(getattr(getattr(value, "sharding", None), "device_set", ())) or 1
            if devices > 1:
                raise Unsteppable(SEVERAL_DEVICES.format(count=devices))
            arrays.append(value if isinstance(value, jax.Array) else jax.device_put(np.asarray(value, aval.dtype)))
        return arrays

    def _executable(self) -> Any:
        observed = self._observed
        if observed.executable is not None:
            return observed.executable
        if self._real is None:
            lowered = observed.lowered or (observed.traced.lower() if observed.traced is not None else None)
            self._real = lowered.compile() if lowered is not None else None
        return self._real

    def _compare(self, recorded: list[Any], values: list[Any], recorded_trips: int) -> tuple[list[Pair], str]:
        import jax

        try:
            executable = self._executable()
        except not_of_a_signal(Exception) as error:
            return [], ORIGINAL_NOT_COMPILED.format(error=error)
        if executable is None:
            return [], NO_EXECUTABLE
        tree = executable.in_tree
        call_leaves = values[len(values) - tree.num_leaves :]
        args, kwargs = jax.tree_util.tree_unflatten(
            tree, copied(call_leaves, self._observed.donated[-len(call_leaves) or None :])
        )
        real = jax.tree_util.tree_leaves(executable(*args, **kwargs))
        if len(real) != len(recorded):
            return (
                [],
                OTHER_NUMBER_OF_RESULTS,
            )
        paths = _result_paths(self._observed.jaxpr, len(real))
        pairs = [
            pair(path, recorded_leaf, real_leaf)
            for path, recorded_leaf, real_leaf in zip(paths, recorded, real, strict=True)
        ]
        return pairs, " ".join(filter(None, (verdict(pairs), self._counts(recorded_trips, values, real))))

    def _counts(self, recorded: int, values: list[Any], real: list[Any]) -> str | None:
        """Return a sentence that compares the recorded number of steps with that of a program that only counts steps.

        None if the construct is no while loop.
        """
        if self.stepper.target.name != "while" or self.stepper.effects:
            return None
        results, trips = self.stepper.count(values)
        if not all(pair("", result, real_leaf).equal for result, real_leaf in zip(results, real, strict=True)):
            return NUMBER_OF_STEPS_UNKNOWN
        return numbers_of_steps(recorded, trips)


def pair(path: str, recorded: Any, real: Any) -> Pair:
    """Compare two results bit for bit and return both as text."""
    import jax
    import jax.numpy as jnp

    if jnp.issubdtype(real.dtype, jax.dtypes.prng_key):
        recorded_array, real_array = (np.asarray(jax.random.key_data(keys)) for keys in (recorded, real))
    else:
        recorded_array, real_array = np.asarray(recorded), np.asarray(real)
    equal = (
        recorded_array.shape == real_array.shape
        and recorded_array.dtype == real_array.dtype
        and recorded_array.tobytes() == real_array.tobytes()
    )
    difference = None
    if not equal and recorded_array.shape == real_array.shape and recorded_array.dtype.kind not in "SUO":
        with np.errstate(all="ignore"):
            wide = np.complex128 if recorded_array.dtype.kind == "c" else np.float64
            apart = np.abs(recorded_array.astype(wide) - real_array.astype(wide))
        finite = apart[np.isfinite(apart)]
        difference = float(finite.max()) if finite.size else None
    return Pair(path, equal, array_text(recorded_array), array_text(real_array), difference)


def _argument_paths(jaxpr: Any) -> list[str]:
    try:
        return [str(path) if path else "" for path in getattr(jaxpr.debug_info, "arg_names", None) or ()]
    except not_of_a_signal(Exception):  # this version of JAX has no argument paths, so the message names no arguments
        return []


def _result_paths(jaxpr: Any, count: int) -> list[str]:
    try:
        paths = [str(path) if path else "" for path in getattr(jaxpr.debug_info, "result_paths", None) or ()]
    except not_of_a_signal(Exception):  # this version of JAX has no result paths, so the results are numbered
        paths = []
    if len(paths) != count:
        return ["result"] if count == 1 else [f"result[{place}]" for place in range(count)]
    return [path or "result" for path in paths]
