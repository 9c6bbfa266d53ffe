"""Finds the names that the user's code has for jax.numpy and jax.lax, such as jnp, for the code of a cure."""

from __future__ import annotations

import sys
from typing import Any

from .raised import RaisedAt


def namespace(raised: RaisedAt) -> dict[str, Any]:
    """Return the global and local names with their values at the failing expression."""
    return {} if raised.frame is None else {**raised.frame.f_globals, **raised.frame.f_locals}


def jnp_name(raised: RaisedAt) -> str:
    """Return the name of jax.numpy in the user's code, such as jnp."""
    return _name_of_module(raised, "jnp", "numpy")


def lax_name(raised: RaisedAt) -> str:
    """Return the name of jax.lax in the user's code, such as lax or jax.lax."""
    return _name_of_module(raised, "lax", "lax", is_written=True)


def _name_of_module(raised: RaisedAt, short: str, module: str, is_written: bool = False) -> str:
    names = raised.module_names
    space = namespace(raised)
    is_known = not space or space.get(short) is sys.modules.get(f"jax.{module}")
    if is_known and (short in names or not is_written and "jax" not in names):
        return short
    if not space or space.get("jax") is sys.modules.get("jax"):
        return f"jax.{module}"
    return short if is_known else f"jax.{module}"


def module_of(raised: RaisedAt, name: str) -> str | None:
    """Return the module that a name in the code stands for, such as numpy for np; None for other modules."""
    value = namespace(raised).get(name)
    return next((module for module in ("numpy", "math", "jax.numpy") if value is sys.modules.get(module, ...)), None)
