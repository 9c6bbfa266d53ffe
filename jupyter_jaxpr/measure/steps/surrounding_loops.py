"""Adds recording buffers to the carry of a scan or while loop that surrounds a construct; JAX traces all of its code.

The loop becomes a `while_loop` that can stop after some steps and continue later, because the outermost loop is run in
pieces. A step evaluates the equations that JAX recorded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...document.control_constructs import SCAN
from ...jax.loop_equations import scan_parts, while_parts
from ...program.control_flow.sentences_on_cards import IN_CONDITION
from .jaxpr_evaluation import Step, Unsteppable, inner_program, run, run_equations
from .loop_conditions import deciding
from .step_buffers import Buffers, end_visit, keep_point
from .step_limits import MOST_WATCHED_ELEMENTS

if TYPE_CHECKING:
    from .recording_program import Recorder

_NO_LENGTH = "The length of a scan around the construct is not a number. Call the function with known shapes."


class Loop(ABC):
    """A loop around the construct, or the construct itself if it is a loop.

    Its state is a dictionary; the key `t` is the number of the next step.
    """

    def __init__(
        self,
        recorder: Recorder,
        equation: Any,
        operands: Sequence[Any],
        way: Sequence[Step],
        outer: Sequence[Any],
        visit: Any,
    ) -> None:
        self.recorder = recorder
        self.equation = equation
        self.operands = list(operands)
        self.way = way
        self.outer = list(outer)
        self.visit = visit
        self.is_target = len(way) == 1

    @abstractmethod
    def start(self) -> dict[str, Any]:
        """Return the state before the first step."""

    @abstractmethod
    def goes_on(self, state: dict[str, Any]) -> Any:
        """Return whether the loop takes another step, as a traced boolean."""

    @abstractmethod
    def step(self, state: dict[str, Any], buffers: Buffers) -> tuple[dict[str, Any], Buffers]:
        """Run one step of the loop; return the new state and the buffers with the values of the step."""

    @abstractmethod
    def results(self, state: dict[str, Any]) -> list[Any]:
        """Return the results of the loop's equation, given the state after the last step."""

    @abstractmethod
    def at_end(self, state: dict[str, Any]) -> list[Any]:
        """Return the values of `Target.ends`, given the state at the end of a visit."""

    def run(self, state: dict[str, Any], buffers: Buffers, limit: Any) -> tuple[dict[str, Any], Buffers]:
        """Take steps until the loop ends, `t` reaches `limit`, the budget is used up, or the state repeats."""
        from jax import lax

        budget = self.recorder.control.budget
        inner = bool(self.outer)

        def condition(state_and_buffers: tuple[dict[str, Any], Buffers]) -> Any:
            state, buffers = state_and_buffers
            going = self.goes_on(state) & (state["t"] < limit) & ~buffers["exceeded"]
            return going & ~self.repeats(state)

        def body(state_and_buffers: tuple[dict[str, Any], Buffers]) -> tuple[dict[str, Any], Buffers]:
            state, buffers = state_and_buffers
            state, buffers = self.step(state, buffers)
            work = buffers["work"] + ~buffers["exceeded"]
            exceeded = buffers["exceeded"] | (work >= budget) if inner else buffers["exceeded"]
            return state, {**buffers, "work": work, "exceeded": exceeded}

        result: tuple[dict[str, Any], Buffers] = lax.while_loop(condition, body, (state, buffers))
        return result

    def repeats(self, state: dict[str, Any]) -> Any:
        """Return, as a traced boolean, whether the state equals an earlier state, so that the loop never ends."""
        return np.bool_(False)

    def end(self, state: dict[str, Any], buffers: Buffers) -> Buffers:
        """Write the end of a visit into the buffers."""
        target = self.recorder.target
        # A loop that never ends has no later steps, so the visit ends here.
        never_ends = self.repeats(state)
        return end_visit(
            {**buffers, "exceeded": buffers["exceeded"] | never_ends},
            self.recorder.control,
            self.visit,
            self.outer,
            target.end_sketches,
            self.at_end(state) if target.ends else [],
            trips=state["t"],
            finished=~self.goes_on(state),
            period=state.get("period", 0),
        )

    def body(
        self,
        step: Step,
        values: Sequence[Any],
        t: Any,
        buffers: Buffers,
    ) -> tuple[list[Any], Buffers]:
        """Return the results of the loop's body for one step."""
        jaxpr, constants = inner_program(self.equation, step)
        if self.is_target:
            return run(jaxpr, constants, values), buffers
        return self.recorder.evaluate(jaxpr, constants, values, self.way[1:], [*self.outer, t], buffers)

    def record(self, t: Any, values: Sequence[Any], buffers: Buffers) -> Buffers:
        """Write a step into the buffers if this loop is the construct itself."""
        if not self.is_target:
            return buffers
        target = self.recorder.target
        if not target.columns:
            return buffers
        return keep_point(buffers, self.recorder.control, self.visit, t, target.sketches, values)


class ScanLoop(Loop):
    """A scan around the construct, or the construct itself."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        parts = scan_parts(self.equation.params)
        if parts.length is None:
            raise Unsteppable(_NO_LENGTH)
        self._parts = parts
        self._length = parts.length
        end = parts.consts + parts.carry
        self._constants, self._carry, self._xs = (
            self.operands[: parts.consts],
            self.operands[parts.consts : end],
            self.operands[end:],
        )
        self._ys = self.equation.outvars[parts.carry :]
        self._step = self.way[0] if not self.is_target else Step(0, "jaxpr")

    def start(self) -> dict[str, Any]:
        """Return the state before the first step."""
        import jax.numpy as jnp

        return {
            "t": jnp.zeros((), jnp.int32),
            "carry": [_array(value) for value in self._carry],
            "ys": [jnp.zeros(variable.aval.shape, variable.aval.dtype) for variable in self._ys],
        }

    def goes_on(self, state: dict[str, Any]) -> Any:
        """Return whether the loop takes another step, as a traced boolean."""
        return state["t"] < self._length

    def run(self, state: dict[str, Any], buffers: Buffers, limit: Any) -> tuple[dict[str, Any], Buffers]:
        """Take steps; a scan of length 0 takes none, because its xs have no first element."""
        return super().run(state, buffers, limit) if self._length else (state, buffers)

    def step(self, state: dict[str, Any], buffers: Buffers) -> tuple[dict[str, Any], Buffers]:
        """Run one step of the scan; return the new state and the buffers with the values of the step."""
        from jax import lax

        t, carry = state["t"], state["carry"]
        place = self._length - 1 - t if self._parts.reverse else t
        x = [lax.dynamic_index_in_dim(xs, place, keepdims=False) for xs in self._xs]
        results, buffers = self.body(self._step, [*self._constants, *carry, *x], t, buffers)
        after, y = results[: self._parts.carry], results[self._parts.carry :]
        buffers = self.record(t, [*carry, *x, *y], buffers)
        ys = [
            lax.dynamic_update_index_in_dim(all_, y_value, place, 0)
            for all_, y_value in zip(state["ys"], y, strict=True)
        ]
        return {"t": t + 1, "carry": after, "ys": ys}, buffers

    def results(self, state: dict[str, Any]) -> list[Any]:
        """Return the results of the scan's equation, given the state after the last step."""
        return [*state["carry"], *state["ys"]]

    def at_end(self, state: dict[str, Any]) -> list[Any]:
        """Return the values of `Target.ends`, given the state at the end of a visit."""
        return list(state["carry"])


class WhileLoop(Loop):
    """A while loop around the construct, or the construct itself.

    If the loop is the construct, Brent's algorithm finds a state that repeats bit for bit: such a loop never ends.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        parameters = self.equation.params
        counts = while_parts(parameters)
        if not self.is_target and self.way[0].parameter != "body_jaxpr":
            raise Unsteppable(IN_CONDITION)
        middle = counts.condition_consts + counts.body_consts
        self._condition_constants = self.operands[: counts.condition_consts]
        self._body_constants = self.operands[counts.condition_consts : middle]
        self._carry = self.operands[middle:]
        self._condition = inner_program(self.equation, Step(0, "cond_jaxpr"))
        self._step = Step(0, "body_jaxpr")
        self._watched: list[int] = []
        pure = not getattr(self.equation, "effects", ())
        if self.is_target and pure and self.recorder.watch:
            body = parameters["body_jaxpr"]
            watched = deciding(parameters["cond_jaxpr"], counts.condition_consts, body, counts.body_consts)
            sizes = [self.recorder.target.ends[place].sketch.elements for place in watched]
            if watched and sum(sizes) <= MOST_WATCHED_ELEMENTS:
                self._watched = watched

    def start(self) -> dict[str, Any]:
        """Return the state before the first step."""
        import jax.numpy as jnp

        zero = jnp.zeros((), jnp.int32)
        carry = [_array(value) for value in self._carry]
        state = {"t": zero, "carry": carry}
        if self._watched:
            watched_bits = [_bits(carry[place]) for place in self._watched]
            state.update(seen=watched_bits, lap=zero, power=zero + 1, period=zero)
        return state

    def _predicate(self, carry: Sequence[Any]) -> Any:
        jaxpr, constants = self._condition
        (predicate,) = run(jaxpr, constants, [*self._condition_constants, *carry])
        return predicate

    def goes_on(self, state: dict[str, Any]) -> Any:
        """Return whether the loop takes another step, as a traced boolean."""
        predicate = self._predicate(state["carry"])
        # Under vmap the predicate has one boolean for each element of the batch.
        return predicate.any() if predicate.shape else predicate

    def repeats(self, state: dict[str, Any]) -> Any:
        """Return whether the state of the loop equals an earlier state, as a traced boolean."""
        return state["period"] > 0 if self._watched else super().repeats(state)

    def step(self, state: dict[str, Any], buffers: Buffers) -> tuple[dict[str, Any], Buffers]:
        """Run one step of the while loop; return the new state and the buffers with the values of the step."""
        from jax import lax

        t, carry = state["t"], state["carry"]
        values = [*carry, *self._compared(carry)] if self.is_target else []
        buffers = self.record(t, values, buffers)
        after, buffers = self.body(self._step, [*self._body_constants, *carry], t, buffers)
        predicate = self._predicate(carry)
        if predicate.shape:
            # JAX lowers a batched while loop in the same way: a batch element whose condition is false keeps its value.
            after = [
                lax.select(lax.broadcast_in_dim(predicate, new.shape, range(predicate.ndim)), new, old)
                for new, old in zip(after, carry, strict=True)
            ]
        return {"t": t + 1, "carry": after, **self._watch(state, t, after)}, buffers

    def _watch(self, state: dict[str, Any], t: Any, carry: Sequence[Any]) -> dict[str, Any]:
        import jax.numpy as jnp

        if not self._watched:
            return {}
        watched_bits = [_bits(carry[place]) for place in self._watched]
        is_repeated = jnp.stack([(a == b).all() for a, b in zip(watched_bits, state["seen"], strict=True)]).all()
        lap = state["lap"] + 1
        over = lap == state["power"]
        return {
            "seen": [jnp.where(over, a, b) for a, b in zip(watched_bits, state["seen"], strict=True)],
            "lap": jnp.where(over, 0, lap),
            "power": jnp.where(over, state["power"] * 2, state["power"]),
            "period": jnp.where(is_repeated, lap, 0),
        }

    def _compared(self, carry: Sequence[Any]) -> list[Any]:
        scalars = [column.compared for column in self.recorder.target.ends if column.compared is not None]
        if not scalars:
            return []
        jaxpr, constants = self._condition
        inputs = [*self._condition_constants, *carry]
        environment = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *inputs), strict=True))
        run_equations(jaxpr.eqns, environment)
        return [environment[scalar.variable] for scalar in scalars]

    def results(self, state: dict[str, Any]) -> list[Any]:
        """Return the results of the while equation, given the state after the last step."""
        return list(state["carry"])

    def at_end(self, state: dict[str, Any]) -> list[Any]:
        """Return the values of `Target.ends`, given the state at the end of a visit."""
        return [*state["carry"], *self._compared(state["carry"])]


def loop_of(
    recorder: Recorder, equation: Any, operands: Sequence[Any], way: Sequence[Step], outer: Sequence[Any], visit: Any
) -> Loop:
    """Return the `Loop` of a scan or while equation."""
    kind = ScanLoop if equation.primitive.name == SCAN else WhileLoop
    return kind(recorder, equation, operands, way, outer, visit)


def _array(value: Any) -> Any:
    import jax.numpy as jnp

    return jnp.asarray(value) if not hasattr(value, "dtype") else value


def _bits(value: Any) -> Any:
    """Return the bits of an array as integers, so that NaN equals NaN, and 0.0 differs from -0.0."""
    import jax
    import jax.numpy as jnp

    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return jax.random.key_data(value)
    if jnp.issubdtype(value.dtype, jnp.complexfloating):
        return jnp.stack([_bits(value.real), _bits(value.imag)])
    if not jnp.issubdtype(value.dtype, jnp.floating):
        return value
    return jax.lax.bitcast_convert_type(value, jnp.dtype(f"uint{8 * value.dtype.itemsize}"))
