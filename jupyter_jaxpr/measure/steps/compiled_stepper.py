"""Compiles the program that records the steps of a construct once, and runs the program once for each recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...document.control_constructs import COND, SCAN, SCOPE_PRIMITIVES, WHILE
from ...jax.effect_names import program_effects
from ...program.control_flow.sentences_on_cards import IN_CONDITION, INSIDE
from ...program.jaxpr.high_primitives import named
from ...program.jaxpr.parameters import open_jaxpr
from .jaxpr_evaluation import Step, Unsteppable, inner_program, types_of
from .loop_conditions import SCOPE_PARAMETERS
from .recorded_columns import Target, passed_index
from .recorded_steps import Steps
from .recording_program import counted
from .run_in_pieces import RunInPieces
from .step_buffers import bytes_of
from .step_limits import Bounds


class Stepper:
    """Records the steps of a construct in a program.

    Args:
        program: JAX's jaxpr of the program.
        way: The path to the equation of the construct.
        bounds: The limits of a run.

    Raises:
        Unsteppable: The stepper cannot run the construct; the message contains the reason.
    """

    def __init__(self, program: Any, way: Sequence[Step], bounds: Bounds | None = None) -> None:
        jaxpr = open_jaxpr(program)
        assert jaxpr is not None
        self._jaxpr = jaxpr
        self._constants = list(getattr(program, "consts", ()))
        self._way = tuple(way)
        self._bounds = bounds or Bounds()
        self._compiled: dict[Any, Any] = {}
        around, equation, depth = self._check()
        self.target = Target(equation, passed_index(around, equation))
        self._depth = depth
        self.effects = program_effects(jaxpr)
        self._points = self._bounds.kept_points(bytes_of(self.target.sketches))
        self._visits = self._bounds.kept_visits(bytes_of(self.target.end_sketches))
        if not self.target.is_loop:
            self._visits = self._points  # a visit of a construct that is no loop has one point

    def _check(self) -> tuple[Any, Any, int]:
        """Return (jaxpr that contains the construct, the construct's equation, number of loops around it)."""
        jaxpr, depth = self._jaxpr, 0
        for step in self._way[:-1]:
            equation = jaxpr.eqns[step.equation]
            name, _ = named(equation)
            if name in (SCAN, WHILE):
                if name == WHILE and step.parameter != "body_jaxpr":
                    raise Unsteppable(IN_CONDITION)
                depth += 1
            elif name != COND and (name not in SCOPE_PRIMITIVES or step.parameter not in SCOPE_PARAMETERS):
                raise Unsteppable(INSIDE.format(name=name))
            jaxpr, _ = inner_program(equation, step)
        return jaxpr, jaxpr.eqns[self._way[-1].equation], depth

    def run(
        self,
        values: Sequence[Any],
        *,
        stopped: Callable[[], bool] = lambda: False,
        tell: Callable[[str, int | None, int | None], None] = lambda text, done, total: None,
    ) -> Steps:
        """Run the program on the argument values of a call.

        Args:
            values: The flat inputs, as JAX arrays.
            stopped: Called during the run; returns True to stop.
            tell: Called with the progress: a text, the number of steps done, and the number of all steps if known.
        """
        return RunInPieces(self, stopped, tell).run(values)

    def count(self, values: Sequence[Any]) -> tuple[list[Any], int]:
        """Run a copy of the program that only counts steps; return its results and the construct's number of steps."""

        def make() -> Callable[..., Any]:
            return lambda values: counted(self.target, self._jaxpr, self._constants, values, self._way)

        with types_of(self._jaxpr):
            function, _ = self.compiled("count", make)
            results, trips = function(values)
            return list(results), int(trips)

    def compiled(self, key: Any, make: Callable[[], Callable[..., Any]]) -> tuple[Any, bool]:
        """Return (jitted function for a key, True if this call has made the function)."""
        import jax

        if key in self._compiled:
            return self._compiled[key], False
        self._compiled[key] = jax.jit(make())
        return self._compiled[key], True
