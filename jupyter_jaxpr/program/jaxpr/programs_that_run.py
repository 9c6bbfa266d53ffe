"""Decides which inner programs of an equation run when the equation runs; the others are rules for its derivatives."""

from __future__ import annotations

#: Primitive -> the parameter with the only inner program that runs.
_ONLY = {"linear_call": "callee", "CustomRoot": "solve_jaxpr"}
_SOLVE = "custom_linear_solve"
_SOLVE_POSITION = 2  # the position of `solve` in (matvec, vecmat, solve, transpose_solve)


def has_rules(primitive: str) -> bool:
    """Return whether a primitive has inner programs that run only in its derivatives."""
    return primitive == _SOLVE or primitive in _ONLY


def is_run(primitive: str, parameter: str, position: int) -> bool:
    """Return whether running an equation also runs a certain inner program.

    Args:
        primitive: The primitive of the equation.
        parameter: The parameter that holds the program.
        position: The program's index in a tuple of programs; -1 if the parameter is no tuple.
    """
    if primitive == _SOLVE:
        return position == _SOLVE_POSITION
    return parameter == _ONLY.get(primitive, parameter)
