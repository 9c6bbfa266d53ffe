"""Finds the public JAX module whose import adds a certain setting to JAX's cache keys."""

from __future__ import annotations

import os
import sys

from ..plain_text import exact
from .facts import jax_directory

_PRIVATE = "jax._src."
_PUBLIC = ("jax.experimental", "jax")


def module_of_setting(name: str) -> str | None:
    """Return the public module that defines a setting, such as jax.experimental.pallas.fuser; None if unknown.

    Args:
        name: The name of the setting in the cache key.
    """
    for module_name, module in list(sys.modules.items()):
        if not module_name.startswith(_PRIVATE):
            continue
        for value in list(vars(module).values()):
            if type(value).__name__ in ("Config", "State") and getattr(value, "name", None) == name:
                return _public_name(exact(module_name).removeprefix(_PRIVATE))
    return None


def _public_name(path: str) -> str | None:
    """Return the public module or package that stands for a private module or for one of its parents."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        for package in _PUBLIC:
            names = [*package.split(".")[1:], *parts[:length]]
            file = os.path.join(jax_directory(), *names)
            if os.path.isfile(f"{file}.py") or os.path.isfile(os.path.join(file, "__init__.py")):
                return ".".join(["jax", *names])
    return None
