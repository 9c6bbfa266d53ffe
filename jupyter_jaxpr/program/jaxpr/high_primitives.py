"""Prints the primitive and the parameters of a `call_hi_primitive` equation as JAX prints them.

From JAX 0.11 on, a function that consists of other primitives (`jnp.searchsorted`, `lax.custom_root`) is an equation
with the primitive `call_hi_primitive`; its parameter is an object with the details. JAX prints the class name of this
object as the primitive.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, kind_name, own_name

HIGH = "call_hi_primitive"


class InOrder(dict[str, Any]):
    """Parameters that JAX prints in the order of this dictionary, rather than sorted."""


def named(equation: Any) -> tuple[str, Mapping[str, Any]]:
    """Return (name that JAX prints for an equation's primitive, parameters that JAX prints)."""
    name = equation.primitive.name
    return high(equation.params) if name == HIGH else (name, equation.params)


def high(parameters: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return (name, parameters) of the operation inside a `call_hi_primitive`.

    Other equations are returned unchanged.
    """
    try:
        primitive = parameters["_prim"]
        printed = primitive.pp_params()
        return kind_name(type(primitive)), InOrder((name, _shown(value)) for name, value in printed.items())
    except not_of_a_signal(*FAILURES):
        return HIGH, parameters


def _shown(value: Any) -> Any:
    """Return what JAX prints in place of a parameter's value."""
    if isinstance(value, functools.partial):
        return _shown(value.func)
    if isinstance(value, types.FunctionType):
        return own_name(value)
    if hasattr(value, "str_short"):  # the value is an aval, which JAX prints in its short form
        return value.str_short(short_dtypes=True)
    return value
