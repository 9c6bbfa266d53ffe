"""Decides whether a value belongs to a module whose functions return other results in each call, such as `random`."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

CHANGING_MODULES = frozenset(
    {"time", "datetime", "random", "os", "sys", "secrets", "uuid", "tempfile", "pathlib", "io"}
)


def is_of_the_machine(value: Any) -> bool:
    """Return whether a value reads the time, files, environment variables or random numbers.

    Args:
        value: A function, a bound method, a class or an object.
    """
    kind = type(value)
    if kind is ModuleType:
        return False
    if issubclass(kind, type):
        return value.__module__ in CHANGING_MODULES
    owner = value.__self__ if kind in (BuiltinFunctionType, MethodType) else None
    if type(owner) is ModuleType:
        return owner.__dict__.get("__name__") in CHANGING_MODULES
    if kind is FunctionType and value.__module__ in CHANGING_MODULES:
        return True
    modules = {type(owner_or_value).__module__ for owner_or_value in (value, owner)}
    return any(module in CHANGING_MODULES or module.startswith("numpy.random") for module in modules)
