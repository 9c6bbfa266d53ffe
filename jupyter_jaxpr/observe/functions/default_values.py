"""Reads the default values of a function's parameters."""

from __future__ import annotations

from types import FunctionType
from typing import Any


def default_values(fun: FunctionType) -> dict[str, Any]:
    """Return {parameter: default value} for the parameters of a function that have a default value."""
    parameters = fun.__code__.co_varnames[: fun.__code__.co_argcount]
    defaults = fun.__defaults__ or ()
    values = dict(zip(parameters[len(parameters) - len(defaults) :], defaults, strict=False))
    return values | (fun.__kwdefaults__ or {})
