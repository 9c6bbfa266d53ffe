"""Makes a program that writes each step of a construct into buffers; JAX traces all of its code.

Equations beside the construct are evaluated as JAX recorded them. Equations that contain the construct are rebuilt so
that they pass the buffers on: a scan or while becomes a `while_loop` with a larger carry (see `surrounding_loops`), a
cond gets one more operand, named scopes (jit, custom rules, remat) are inlined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...document.control_constructs import COND, SCAN, SCOPE_PRIMITIVES, WHILE
from ...program.control_flow.sentences_on_cards import INSIDE
from ...program.jaxpr.high_primitives import named
from .jaxpr_evaluation import Step, Unsteppable, bind, inner_program, read, run, run_equations
from .loop_conditions import SCOPE_PARAMETERS
from .recorded_columns import Target
from .step_buffers import Buffers, Control, empty, end_visit, keep_point
from .surrounding_loops import loop_of

_NO_LIMIT = 2**31 - 1


def counted(target: Target, program: Any, constants: Sequence[Any], values: Sequence[Any], way: Sequence[Step]) -> Any:
    """Return the results of the program and the number of steps of the construct; called while JAX traces."""
    bare = target.bare()
    control = Control(1, 1, _NO_LIMIT, 0)
    buffers = empty(0, 0, 0, [], [])
    results, buffers = Recorder(bare, control, watch=False).evaluate(program, constants, values, way, (), buffers)
    return results, buffers["trips_total"]


class Recorder:
    """Evaluates the programs around and inside of a construct, and writes its steps into buffers.

    Args:
        target: The construct.
        control: Which steps to keep.
        watch: True to detect a while loop whose state repeats.
    """

    def __init__(self, target: Target, control: Control, watch: bool = True) -> None:
        self.target = target
        self.control = control
        self.watch = watch

    def evaluate(
        self,
        jaxpr: Any,
        constants: Sequence[Any],
        values: Sequence[Any],
        way: Sequence[Step],
        outer: Sequence[Any],
        buffers: Buffers,
    ) -> tuple[list[Any], Buffers]:
        """Evaluate a program that contains the construct.

        Args:
            jaxpr: The program.
            constants: The values of its constants.
            values: The values of its inputs.
            way: The path to the construct.
            outer: The present step of each loop around the program.
            buffers: The buffers so far.
        """
        environment = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *values), strict=True))
        place = way[0].equation
        run_equations(jaxpr.eqns[:place], environment)
        equation = jaxpr.eqns[place]
        operands = [read(environment, atom) for atom in equation.invars]
        passed = [read(environment, atom) for atom in self.target.passed] if len(way) == 1 else []
        results, buffers = self._on_the_way(equation, operands, way, outer, buffers, passed)
        environment.update(zip(equation.outvars, results, strict=True))
        run_equations(jaxpr.eqns[place + 1 :], environment)
        return [read(environment, atom) for atom in jaxpr.outvars], buffers

    def _on_the_way(
        self,
        equation: Any,
        operands: list[Any],
        way: Sequence[Step],
        outer: Sequence[Any],
        buffers: Buffers,
        passed: Sequence[Any],
    ) -> tuple[list[Any], Buffers]:
        from jax import lax

        name, _ = named(equation)
        if name in (SCAN, WHILE):
            visit = self.control.first_visit + buffers["seen"]
            loop = loop_of(self, equation, operands, way, outer, visit)
            state, buffers = loop.run(loop.start(), buffers, _NO_LIMIT)
            if len(way) == 1:
                buffers = loop.end(state, buffers)
            return loop.results(state), buffers
        if len(way) == 1:
            return self.pass_by(equation, operands, outer, buffers, passed)
        if name == COND:
            index, *branch_operands = operands

            def branch(position: int) -> Callable[..., Any]:
                step = Step(way[0].equation, way[0].parameter, position)
                jaxpr, constants = inner_program(equation, step)
                if position != way[0].position:
                    return lambda values, buffers: (run(jaxpr, constants, values), buffers)
                return lambda values, buffers: self.evaluate(jaxpr, constants, values, way[1:], outer, buffers)

            branches = [branch(position) for position in range(len(equation.params["branches"]))]
            results, buffers = lax.switch(index, branches, branch_operands, buffers)
            return results, buffers
        if name in SCOPE_PRIMITIVES and way[0].parameter in SCOPE_PARAMETERS:
            jaxpr, constants = inner_program(equation, way[0])
            if len(jaxpr.invars) == len(operands):
                return self.evaluate(jaxpr, constants, operands, way[1:], outer, buffers)
        raise Unsteppable(INSIDE.format(name=name))

    def pass_by(
        self, equation: Any, operands: list[Any], outer: Sequence[Any], buffers: Buffers, passed: Sequence[Any]
    ) -> tuple[list[Any], Buffers]:
        """Evaluate a construct that is no loop (a cond or a switch), as one visit with one step.

        `passed` has the values of the variables in `Target.passed`.
        """
        visit = self.control.first_visit + buffers["seen"]
        results = bind(equation, operands)
        buffers = keep_point(buffers, self.control, visit, 0, self.target.sketches, [*operands, *results, *passed])
        buffers = {**buffers, "work": buffers["work"] + 1}
        return results, end_visit(buffers, self.control, visit, outer, [], [], trips=1, finished=True)
