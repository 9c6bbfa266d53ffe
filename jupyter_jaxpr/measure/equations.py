"""Equations as JAX recorded them in, the same on other values out.

- `Step`: one equation on the way to a construct.
- `run`, `run_equations`, `bind`: evaluate a program, some equations, one; traced or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..program.parameters import open_jaxpr


class Unsteppable(Exception):
    """The stepper cannot run this; the message is a sentence that says why and what to do."""


@dataclass(frozen=True)
class Step:
    """One equation on the way to a construct; `parameter` holds the program that the way goes on in."""

    equation: int
    parameter: str = ""
    position: int = -1


def inner_program(equation: Any, step: Step) -> tuple[Any, Sequence[Any]]:
    """The program that a step leads into, and the values of its constants."""
    value = equation.params[step.parameter]
    if step.position >= 0:
        value = value[step.position]
    elif isinstance(value, tuple) and len(value) == 1:
        (value,) = value
    jaxpr = open_jaxpr(value)
    assert jaxpr is not None
    return jaxpr, getattr(value, "consts", ())


def bind(equation: Any, values: Sequence[Any]) -> list[Any]:
    """An equation as JAX recorded it, on other values."""
    with equation.ctx.manager:
        parameters = equation.primitive.get_bind_params(equation.params)
        results = equation.primitive.bind(*values, **parameters)
    return list(results) if equation.primitive.multiple_results else [results]


def run_equations(equations: Sequence[Any], environment: dict[Any, Any]) -> None:
    """Evaluate equations; `environment` has the value of each variable by the variable."""
    for equation in equations:
        results = bind(equation, [read(environment, atom) for atom in equation.invars])
        environment.update(zip(equation.outvars, results, strict=True))


def read(environment: dict[Any, Any], atom: Any) -> Any:
    """The value of a variable or a literal."""
    return atom.val if hasattr(atom, "val") else environment[atom]


def run(jaxpr: Any, constants: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Evaluate a program."""
    environment = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *values), strict=True))
    run_equations(jaxpr.eqns, environment)
    return [read(environment, atom) for atom in jaxpr.outvars]
