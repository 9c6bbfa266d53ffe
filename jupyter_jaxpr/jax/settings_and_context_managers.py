"""Finds what a setting in JAX's cache keys is for the user: the module that adds it, or a context manager."""

from __future__ import annotations

import os
import sys

from ..plain_text import exact
from .facts import jax_directory

_PRIVATE = "jax._src."
_PUBLIC = ("jax.experimental", "jax")

#: Settings that users change by a context manager alone -> the context manager.
CONTEXT_MANAGERS = {
    "eager_constant_folding": "jax.ensure_compile_time_eval()",
    "compute_on_context_manager": "jax.experimental.compute_on.compute_on",
    "xla_metadata_context_manager": "jax.experimental.xla_metadata.set_xla_metadata",
}


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
