"""Finds the names by which the user's code refers to modules of JAX, such as jnp, for use in cures."""

from __future__ import annotations

import sys
from typing import Any

from .place_of_error import RaisedAt


def namespace(raised: RaisedAt) -> dict[str, Any]:
    """Return {name: value} for the global and local names at the failing expression.

    A generator expression also reads the local names of the function around the expression.
    """
    frame, caller = raised.frame, raised.callers[-1] if raised.callers else None
    if frame is None:
        return {}
    if frame.f_code.co_name != "<genexpr>" or caller is None or frame.f_code not in caller.f_code.co_consts:
        return {**frame.f_globals, **frame.f_locals}
    return {**frame.f_globals, **caller.f_locals, **frame.f_locals}


def jnp_name(raised: RaisedAt) -> str:
    """Return the name of jax.numpy in the user's code, such as jnp."""
    return _name_of_module(raised, "jnp", "numpy")


def numpy_name(raised: RaisedAt) -> str:
    """Return the name of NumPy in the user's code, such as np."""
    module = sys.modules.get("numpy", ...)
    return next((name for name, value in namespace(raised).items() if value is module), "np")


def lax_name(raised: RaisedAt) -> str:
    """Return the name of jax.lax in the user's code, such as lax or jax.lax."""
    return _name_of_module(raised, "lax", "lax", is_written=True)


def random_name(raised: RaisedAt) -> str:
    """Return the name of jax.random in the user's code, such as random or jax.random."""
    space, module = namespace(raised), sys.modules.get("jax.random", ...)
    names = [name for name, value in space.items() if value is module]
    in_code = [name for name in names if name in raised.module_names]
    if not in_code and space.get("jax") is sys.modules.get("jax"):
        return "jax.random"
    return (in_code or names or ["jax.random"])[0]


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
