"""Prints the primitive and the parameters of a high-level equation as JAX prints them.

From JAX 0.11 on, a function that is composed of other primitives (`jnp.searchsorted`, `lax.custom_root`) is the one
primitive `call_hi_primitive`, whose parameter is an object with the details. JAX prints the name of the object's class.
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
    """Parameters that JAX prints in the order they have here."""


def named(equation: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the name under which JAX prints an equation's primitive, and the parameters that it prints."""
    name = equation.primitive.name
    return high(equation.params) if name == HIGH else (name, equation.params)


def high(parameters: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the equation inside a `call_hi_primitive`; without one, the equation itself, as JAX 0.10 prints it."""
    try:
        primitive = parameters["_prim"]
        printed = primitive.pp_params()
        return kind_name(type(primitive)), InOrder((name, _shown(value)) for name, value in printed.items())
    except not_of_a_signal(*FAILURES):
        return HIGH, parameters


def _shown(value: Any) -> Any:
    """Return the text that JAX prints in place of a value."""
    if isinstance(value, functools.partial):
        return _shown(value.func)
    if isinstance(value, types.FunctionType):
        return own_name(value)
    if hasattr(value, "str_short"):  # the value is an aval
        return value.str_short(short_dtypes=True)
    return value
