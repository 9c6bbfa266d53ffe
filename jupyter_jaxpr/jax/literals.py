"""Finds the numbers that a program has as literals."""

from __future__ import annotations

from typing import Any

from .equations_until_now import equations_in

_MOST = 1_000


def literals_of(jaxpr: Any) -> list[Any]:
    """Return the values of the first literals of a program and its inner programs."""
    values = []
    for equation in equations_in(jaxpr):
        for operand in equation.invars:
            if hasattr(operand, "val"):
                values.append(operand.val)
        if len(values) >= _MOST:
            break
    return values
