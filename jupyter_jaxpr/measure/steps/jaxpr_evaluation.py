"""Evaluates the equations of a jaxpr on given values.

- `Step`: one equation on the path to a construct.
- `run`, `run_equations`, `bind`: evaluate a program, several equations, one equation; they also work while JAX traces.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ...program.jaxpr.high_primitives import named
from ...program.jaxpr.parameters import open_jaxpr, programs_in


class Unsteppable(Exception):
    """Raised if the steps of a construct cannot be recorded; the message has the reason and a cure."""


@dataclass(frozen=True)
class Step:
    """One step of the path to a construct: an equation, and its parameter with the next inner program."""

    equation: int
    parameter: str = ""
    position: int = -1


def inner_program(equation: Any, step: Step) -> tuple[Any, Sequence[Any]]:
    """Return the inner program of an equation on the path, and the values of its constants."""
    value = named(equation)[1][step.parameter]
    if step.position >= 0:
        value = value[step.position]
    elif isinstance(value, tuple) and len(value) == 1:
        (value,) = value
    jaxpr = open_jaxpr(value)
    assert jaxpr is not None
    return jaxpr, getattr(value, "consts", ())


def bind(equation: Any, values: Sequence[Any]) -> list[Any]:
    """Evaluate an equation, as JAX recorded it, on given values."""
    with equation.ctx.manager:
        parameters = equation.primitive.get_bind_params(equation.params)
        results = equation.primitive.bind(*values, **parameters)
    return list(results) if equation.primitive.multiple_results else [results]


def run_equations(equations: Sequence[Any], environment: dict[Any, Any]) -> None:
    """Evaluate equations.

    `environment` maps each variable to its value; the results are added to it.
    """
    for equation in equations:
        results = bind(equation, [read(environment, atom) for atom in equation.invars])
        environment.update(zip(equation.outvars, results, strict=True))


def read(environment: dict[Any, Any], atom: Any) -> Any:
    """Return the value of a variable or a literal."""
    return atom.val if hasattr(atom, "val") else environment[atom]


def run(jaxpr: Any, constants: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Evaluate a program and return its results."""
    environment = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *values), strict=True))
    run_equations(jaxpr.eqns, environment)
    return [read(environment, atom) for atom in jaxpr.outvars]


def types_of(jaxpr: Any) -> AbstractContextManager[Any]:
    """Return a context manager that enables 64-bit types if the program has a 64-bit type."""
    import jax

    context: AbstractContextManager[Any] = jax.enable_x64(True) if _has_64_bits(jaxpr) else contextlib.nullcontext()
    return context


def _has_64_bits(jaxpr: Any) -> bool:
    for variable in (*jaxpr.invars, *jaxpr.constvars, *(v for equation in jaxpr.eqns for v in equation.outvars)):
        dtype = getattr(variable.aval, "dtype", None)
        if str(dtype) in ("float64", "int64", "uint64", "complex128"):
            return True
    return any(
        _has_64_bits(inner)
        for equation in jaxpr.eqns
        for value in named(equation)[1].values()
        for _, inner, _ in programs_in(value)
    )
