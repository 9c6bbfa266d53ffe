"""Finds the inner programs of an equation that run; the others are rules for its derivatives."""

from __future__ import annotations

#: The parameter of the program that runs.
_ONLY = {"linear_call": "callee", "CustomRoot": "solve_jaxpr"}
_SOLVE = "custom_linear_solve"
_SOLVE_POSITION = 2  # the position of `solve` in (matvec, vecmat, solve, transpose_solve)


def has_rules(primitive: str) -> bool:
    """Return whether an equation of a primitive holds programs that run only in the derivatives of the equation."""
    return primitive == _SOLVE or primitive in _ONLY


def is_run(primitive: str, parameter: str, position: int) -> bool:
    """Return whether a run of an equation also runs a program in the equation's parameters.

    Args:
        primitive: The primitive of the equation.
        parameter: The parameter that holds the program.
        position: The program's index in a tuple of programs; -1 if the parameter is no tuple.
    """
    if primitive == _SOLVE:
        return position == _SOLVE_POSITION
    return parameter == _ONLY.get(primitive, parameter)
