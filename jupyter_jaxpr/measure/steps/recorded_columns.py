"""Chooses the columns of a recording: one for each leaf of the construct's operands, carries and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...document.control_constructs import COND, SCAN, WHILE
from ...jax.loop_equations import scan_parts, while_parts
from ...program.jaxpr.parameters import open_jaxpr
from .jaxpr_evaluation import Unsteppable
from .kept_elements import Sketch
from .loop_conditions import Compared, compared_scalars


@dataclass(frozen=True)
class Column:
    """One column of a recording: a value at each step, and for some columns also at the end of each visit."""

    role: str
    # the index among the columns with the same role, such as carry, in the order of the values in the equation
    index: int
    sketch: Sketch
    compared: Compared | None = None


def passed_index(jaxpr: Any, equation: Any) -> list[Any]:
    """Return the index of a switch before JAX clamps it, as a list of one variable of the jaxpr.

    [] for another equation, or if no clamp computes the index.
    """
    if equation.primitive.name != COND:
        return []
    index = equation.invars[0]
    for clamp in jaxpr.eqns:
        if clamp.primitive.name == "clamp" and index in clamp.outvars:
            return [clamp.invars[1]]
    return []


class Target:
    """The construct whose steps are recorded.

    Args:
        equation: The equation of the construct.
        passed: A list with the variable of a switch's index before JAX clamps it; empty if unknown.
    """

    def __init__(self, equation: Any, passed: Sequence[Any] = ()) -> None:
        self.equation = equation
        self.passed = list(passed)
        self.name: str = equation.primitive.name
        self.is_loop = self.name in (SCAN, WHILE)
        self.columns: list[Column] = []
        self.ends: list[Column] = []
        if self.name == SCAN:
            parts = scan_parts(equation.params)
            if parts.length is None:
                raise Unsteppable("The length of this scan is not a number. Call the function with known shapes.")
            carry, end = parts.consts, parts.consts + parts.carry
            self._add("carry", equation.invars[carry:end], ends=True)
            body = open_jaxpr(equation.params["jaxpr"])
            assert body is not None
            self._add("x", body.invars[end:])
            self._add("y", body.outvars[parts.carry :])
        elif self.name == WHILE:
            counts = while_parts(equation.params)
            self._add("carry", equation.invars[counts.condition_consts + counts.body_consts :], ends=True)
            for index, scalar in enumerate(compared_scalars(equation.params["cond_jaxpr"], counts.condition_consts)):
                column = Column("compared", index, Sketch(scalar.variable.aval), scalar)
                self.columns.append(column)
                self.ends.append(column)
        else:
            first = 0
            if self.name in (COND, "select_n"):
                is_flag = len(equation.params.get("branches", (0, 0))) == 2
                self._add("predicate" if is_flag else "index", equation.invars[:1])
                first = 1
            self._add("operand", equation.invars[first:])
            self._add("result", equation.outvars)
            self._add("passed", self.passed)

    def _add(self, role: str, atoms: Sequence[Any], ends: bool = False) -> None:
        for index, atom in enumerate(atoms):
            if not hasattr(atom.aval, "dtype") or not hasattr(atom.aval, "shape"):
                raise Unsteppable(f"The stepper cannot record a value of type {atom.aval}.")
            column = Column(role, index, Sketch(atom.aval))
            self.columns.append(column)
            if ends:
                self.ends.append(column)

    def bare(self) -> Target:
        """Return the same construct without columns, so that its steps are only counted."""
        bare = Target(self.equation, self.passed)
        bare.columns, bare.ends = [], []
        return bare

    @property
    def sketches(self) -> list[Sketch]:
        """The sketches of the columns, in order; a sketch decides what is kept of the value at each step."""
        return [column.sketch for column in self.columns]

    @property
    def end_sketches(self) -> list[Sketch]:
        """The sketches of the columns that also have a value at the end of each visit."""
        return [column.sketch for column in self.ends]
