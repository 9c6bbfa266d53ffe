"""Runs a program in pieces on the values of a call, and records the steps of a construct.

The pieces are: the equations before the outermost loop around the construct, some steps of that loop at a time, and the
equations after it. Between two pieces the user can stop the run; the steps recorded until then are kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...document.control_constructs import COND, SCAN, WHILE
from ...quantities import count
from .jaxpr_evaluation import Step, inner_program, read, run_equations, types_of
from .kept_steps import Kept, VisitEnd, leaves_of
from .recorded_steps import Steps, Visit
from .recording_program import Recorder
from .sentences_on_recorded_steps import (
    ALL_SECONDS_USED,
    ALL_STEPS_USED,
    STATE_NO_LONGER_CHANGES,
    STATE_REPEATS,
    STOPPED,
)
from .step_buffers import Control, empty
from .surrounding_loops import loop_of

if TYPE_CHECKING:
    from .compiled_stepper import Stepper

# About how many seconds one piece takes; between two pieces the run can be stopped.
_PIECE = 0.25
_FIRST_BUDGET = 4_096


class _End(Exception):
    """Raised if the run is stopped before its end."""


class RunInPieces:
    """Runs a stepper's program once, in pieces, and collects the steps that it records."""

    def __init__(
        self,
        stepper: Stepper,
        stopped: Callable[[], bool],
        tell: Callable[[str, int | None, int | None], None],
    ) -> None:
        self._stepper = stepper
        self._target = stepper.target
        self._stopped = stopped
        self._tell = tell
        self._bounds = stepper._bounds
        self._capacity = stepper._points
        self._columns = Kept(self._target, stepper._points, stepper._visits)
        self._seconds = 0.0
        self._why: str | None = None
        self._period: int | None = None
        self._trips = 0

    def run(self, values: Sequence[Any]) -> Steps:
        """Run the program on the flat values of a call and return the recorded steps."""
        stepper = self._stepper
        results: list[Any] | None
        with types_of(stepper._jaxpr):
            try:
                results = self._program(stepper._jaxpr, stepper._constants, values, stepper._way, ())
            except _End:
                results = None
        visits, step, leaves, branches = leaves_of(self._columns)
        return Steps(
            visits=[Visit(*visit) for visit in visits],
            visits_total=self._columns.visit_count,
            step=step,
            leaves=leaves,
            taken=branches,
            stopped=self._why,
            thinned=self._columns.thinned(),
            never_ends=self._period,
            results=results,
            trips=self._columns.trips,
        )

    # --- the equations before and after the construct, and the path to the construct ---

    def _program(
        self, jaxpr: Any, constants: Sequence[Any], values: Sequence[Any], way: Sequence[Step], key: tuple[int, ...]
    ) -> list[Any]:
        environment = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *values), strict=True))
        place = way[0].equation
        before, equation, after = jaxpr.eqns[:place], jaxpr.eqns[place], jaxpr.eqns[place + 1 :]
        passed = self._target.passed if len(way) == 1 else []
        needed = {id(atom) for reader in (equation, *after) for atom in reader.invars} | {id(v) for v in jaxpr.outvars}
        needed |= {id(atom) for atom in passed}
        self._piece((*key, place, 0), before, environment, needed)
        operands = [read(environment, atom) for atom in equation.invars]
        values = [read(environment, atom) for atom in passed]
        results = self._equation(equation, operands, way, (*key, place), values)
        environment.update(zip(equation.outvars, results, strict=True))
        self._piece((*key, place, 1), after, environment, {id(v) for v in jaxpr.outvars})
        return [read(environment, atom) for atom in jaxpr.outvars]

    def _piece(self, key: Any, equations: Sequence[Any], environment: dict[Any, Any], needed: set[int]) -> None:
        """Compile some equations that do not contain the construct as one function, and run it."""
        if not equations:
            return
        results = [variable for made_by in equations for variable in made_by.outvars]
        inputs = _free(equations)
        outputs = [variable for variable in results if id(variable) in needed]

        def make() -> Callable[..., Any]:
            def piece(values: Sequence[Any]) -> list[Any]:
                inside = dict(zip(inputs, values, strict=True))
                run_equations(equations, inside)
                return [inside[variable] for variable in outputs]

            return piece

        piece, _ = self._stepper.compiled(key, make)
        self._tell("Running the equations before and after the loop", None, None)
        environment.update(zip(outputs, piece([environment[variable] for variable in inputs]), strict=True))

    def _equation(
        self, equation: Any, operands: list[Any], way: Sequence[Step], key: tuple[int, ...], passed: list[Any]
    ) -> list[Any]:
        name = equation.primitive.name
        if name in (SCAN, WHILE):
            return self._loop(equation, operands, way, key)
        if len(way) == 1:
            return self._pass_by(equation, operands, key, passed)
        jaxpr, constants = inner_program(equation, way[0])
        if name == COND:
            index = int(operands[0])
            operands = operands[1:]
            if index != way[0].position:
                branch, constants = inner_program(equation, Step(way[0].equation, way[0].parameter, index))
                environment = dict(zip((*branch.constvars, *branch.invars), (*constants, *operands), strict=True))
                self._piece((*key, index, 2), branch.eqns, environment, {id(v) for v in branch.outvars})
                return [read(environment, atom) for atom in branch.outvars]
        return self._program(jaxpr, constants, operands, way[1:], key)

    def _pass_by(self, equation: Any, operands: list[Any], key: tuple[int, ...], passed: list[Any]) -> list[Any]:
        def make() -> Callable[..., Any]:
            def once(operands: list[Any], passed: list[Any]) -> Any:
                recorder = Recorder(self._target, Control(1, 1, 1, 0))
                buffers = empty(1, 1, 0, self._target.sketches, [])
                return recorder.pass_by(equation, operands, (), buffers, passed)

            return once

        compiled, _ = self._stepper.compiled((*key, "once"), make)
        results, buffers = compiled(operands, passed)
        self._trips = 1
        self._columns.add(_numbers(buffers))
        return list(results)

    # --- the outermost loop ---

    def _loop(self, equation: Any, operands: list[Any], way: Sequence[Step], key: tuple[int, ...]) -> list[Any]:
        stepper, target = self._stepper, self._target
        points, visits, depth = stepper._points, stepper._visits, stepper._depth

        def loop(operands: list[Any], control: Control) -> Any:
            return loop_of(Recorder(target, control), equation, operands, way, (), 0)

        anything = Control(1, 1, 1, 0)

        def make_start() -> Callable[..., Any]:
            return lambda operands: loop(operands, anything).start()

        def make_piece() -> Callable[..., Any]:
            def piece(operands: list[Any], state: Any, limit: Any, control: tuple[Any, ...]) -> Any:
                part = loop(operands, Control(*control))
                buffers = empty(points, visits, depth, target.sketches, target.end_sketches)
                state, buffers = part.run(state, buffers, limit)
                return state, buffers, part.goes_on(state), part.repeats(state)

            return piece

        def make_ends() -> Callable[..., Any]:
            def ends(operands: list[Any], state: Any) -> Any:
                values = loop(operands, anything).at_end(state)
                return tuple(sketch.take(value) for sketch, value in zip(target.end_sketches, values, strict=True))

            return ends

        operands = [_array(value) for value in operands]
        start, _ = stepper.compiled((*key, "start"), make_start)
        state = start(operands)
        compiled, new = stepper.compiled((*key, "piece"), make_piece)
        if new:
            self._tell("Compiling", None, None)
            # This call takes no steps. It compiles the loop, so that the first measured piece does not include the
            # compile.
            _numbers(compiled(operands, state, np.int32(0), _control(1, 1, 1, 0))[1])

        def piece(state: Any, limit: int, control: tuple[Any, ...]) -> tuple[Any, Any, bool, bool, float]:
            began = time.perf_counter()
            after, buffers, going, repeats = compiled(operands, state, np.int32(limit), control)
            buffers = _numbers(buffers)
            took = time.perf_counter() - began
            self._seconds += took
            return after, buffers, bool(going), bool(repeats), took

        example = loop(operands, anything)
        length = getattr(example, "_length", None)
        if len(way) == 1:
            ends, _ = stepper.compiled((*key, "ends"), make_ends)
            try:
                state = self._along(state, piece, length)
            except _Stopped as end:
                state = end.state
                raise _End from None
            finally:
                finished = self._why is None
                self._columns.end(
                    VisitEnd(0, self._trips, (), finished, [_numbers(part) for part in ends(operands, state)])
                )
        else:
            state = self._around(state, piece, length)
        return list(example.results(state))

    def _along(self, state: Any, piece: Callable[..., Any], length: int | None) -> Any:
        """Run a construct that is itself the outermost loop, some steps at a time; the run has one visit."""
        columns, count = self._columns, 16
        while True:
            count = min(count, self._capacity * columns.step_every, self._bounds.trips - self._trips)
            control = _control(1, columns.step_every, 1, 0)
            state, buffers, going, repeats, took = piece(state, self._trips + count, control)
            self._trips = int(state["t"])
            columns.add(buffers)
            if not going:
                return state
            if repeats:
                self._never(int(state["period"]), state)
            self._check(state)
            columns.thin()
            self._tell(f"Step {self._trips:,}", self._trips, length)
            count = max(1, int(count * min(8.0, _PIECE / max(took, 1e-9))))

    def _around(self, state: Any, piece: Callable[..., Any], length: int | None) -> Any:
        """Run the outermost loop around the construct; each piece takes as many steps as the buffers can hold."""
        columns, count, t = self._columns, 1, 0
        # a piece that goes beyond its budget of loop steps is run again with fewer steps; effects forbid this
        careful = not self._stepper.effects
        budget = _FIRST_BUDGET if careful else self._bounds.trips
        while True:
            budget = min(budget, self._bounds.trips - self._trips)
            control = _control(columns.visit_every, columns.step_every, budget, columns.visit_count)
            after, buffers, going, _, took = piece(state, t + count, control)
            exceeded = bool(buffers["exceeded"])
            over = buffers["points"] > self._capacity or buffers["visits"] > self._stepper._visits
            never = int(buffers["period"].max())
            if (exceeded or over) and count > 1 and careful:
                count = max(1, count // 4)
                continue
            if over and careful:
                columns.coarser(many_visits=int(buffers["visits"]) > 8)
                continue
            if exceeded and not never and careful:
                spent = self._trips + budget >= self._bounds.trips
                if not (spent or self._stopped() or self._seconds >= self._bounds.seconds):
                    budget *= 8
                    continue
            state, t = after, int(after["t"])
            self._trips += int(buffers["work"])
            columns.add(buffers)
            if never:
                self._never(never, state)
            if exceeded or not going:
                if not exceeded:
                    return state
                self._check(state)
                self._stop(ALL_STEPS_USED, state)
            self._check(state)
            columns.thin()
            self._tell(f"Running step {t:,} of the outermost loop", t, length)
            room = self._capacity / max(1, int(buffers["points"])) / 2
            count = max(1, int(count * min(8.0, room, _PIECE / max(took, 1e-9))))
            if not careful:
                count = 1

    def _check(self, state: Any) -> None:
        if self._stopped():
            self._stop(STOPPED, state)
        if self._trips >= self._bounds.trips:
            self._stop(ALL_STEPS_USED, state)
        if self._seconds >= self._bounds.seconds:
            self._stop(ALL_SECONDS_USED, state)

    def _stop(self, why: str, state: Any) -> None:
        self._why = why.format(steps=count(self._trips, "step"), seconds=self._bounds.seconds, period=self._period or 0)
        raise _Stopped(state)

    def _never(self, period: int, state: Any) -> None:
        self._period = period
        self._stop(STATE_NO_LONGER_CHANGES if period == 1 else STATE_REPEATS, state)


class _Stopped(_End):
    """Raised if the outermost loop was stopped."""

    def __init__(self, state: Any) -> None:
        super().__init__()
        self.state = state


def _free(equations: Sequence[Any]) -> list[Any]:
    """Return the variables that some equations read and that none of these equations computes."""
    defined: set[int] = set()
    variables: dict[int, Any] = {}
    for equation in equations:
        for atom in equation.invars:
            if not hasattr(atom, "val") and id(atom) not in defined:
                variables.setdefault(id(atom), atom)
        defined.update(id(variable) for variable in equation.outvars)
    return list(variables.values())


def _control(visit_every: int, step_every: int, budget: int, first_visit: int) -> tuple[Any, ...]:
    return tuple(np.int32(number) for number in (visit_every, step_every, budget, first_visit))


def _array(value: Any) -> Any:
    import jax.numpy as jnp

    return value if hasattr(value, "dtype") else jnp.asarray(value)


def _numbers(tree: Any) -> Any:
    """Return the buffers as NumPy arrays on the host."""
    import jax

    return jax.device_get(tree)
