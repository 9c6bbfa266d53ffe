"""Compares the installed JAX with our table of the private JAX names that we use."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from types import CodeType
from typing import Any

import jax
import jax.numpy as jnp

from jupyter_jaxpr.jax import private_names
from jupyter_jaxpr.jax.private_names import LOCALS, MODULES, OBJECTS, PrivateName


def expected() -> list[PrivateName]:
    """Return the rows of the table of private names that apply to the version of the installed JAX."""
    installed = jax.__version_info__
    return [
        row
        for row in (*MODULES, *OBJECTS, *LOCALS)
        if version(row.since) <= installed and (row.until is None or installed[:2] <= version(row.until))
    ]


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def is_here(row: PrivateName) -> bool:
    if row in MODULES:
        return private_names.is_there(row)
    if row in OBJECTS:
        specimen = specimens()[row.where]
        return row.where in {kind.__name__ for kind in type(specimen).__mro__} and hasattr(specimen, row.name)
    module, name = row.where.split(":")
    codes = [code for code in functions_of(module) if code.co_name == name]
    return any(row.name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars) for code in codes)


@cache
def specimens() -> dict[str, Any]:
    jitted: Any = jax.jit(lambda x: x + 1)
    traced = jitted.trace(jnp.ones(3))
    lowered = traced.lower()
    return {
        "PjitFunction": jitted,
        "Traced": traced,
        "Lowered": lowered,
        "MeshComputation": getattr(lowered, "_lowering", None),
        "Compiled": lowered.compile(),
        "ArrayImpl": jnp.ones(3),
        "Sharding": jnp.ones(3).sharding,
        "PRNGKeyArray": jax.random.key(0),
        "State": importlib.import_module("jax._src.config").debug_nans,
    }


def codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from codes(inner)


@cache
def functions_of(module: str) -> list[CodeType]:
    try:
        loaded = importlib.import_module(f"jax._src.{module}")
    except ImportError:
        return []
    return list(codes(compile(inspect.getsource(loaded), str(loaded.__file__), "exec")))


def shape(row: PrivateName) -> str | None:
    """Return a function's parameters, or the type of another object, as text; None if the name no longer exists."""
    if not is_here(row):
        return None
    value = getattr(importlib.import_module(f"jax._src.{row.where}"), row.name)
    if isinstance(value, str):
        return repr(value)
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return type(value).__name__
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return f"({', '.join(stars.get(parameter.kind, '') + parameter.name for parameter in parameters)})"


def shapes() -> dict[str, str | None]:
    return {row.id: shape(row) for row in MODULES}
