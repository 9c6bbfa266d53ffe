"""Finds the trace that JAX has cached for a call of a jitted function, without running the function's Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..interruptions import not_of_a_signal
from .facts import private


def call_leaves(called: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, list[Any]] | None:
    """Return the cached program for an earlier call of a jitted function, and the dynamic leaves of the call.

    None if JAX no longer has the program in its cache, because asking for it would then run the function's Python
    again.
    """
    import jax

    try:
        with jax.no_tracing(True):
            traced, args_flat = private("pjit")._infer_params(called._fun, called._jit_info, tuple(args), kwargs)
    except not_of_a_signal(RuntimeError):
        return None
    return traced.params["jaxpr"], list(args_flat)


def held_trace(called: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the `jax.stages.Traced` of a call that JAX has traced before.

    None if JAX no longer has the trace in its cache, because making one would run the function's Python.
    """
    import jax

    try:
        with jax.no_tracing(True):
            return called.trace(*args, **kwargs)
    except not_of_a_signal(Exception):
        return None


def traces_by_function() -> dict[int, int] | None:
    """Return {id of a function: number of traces that JAX has cached}; None if unknown."""
    try:
        keys = private("interpreters.partial_eval").trace_to_jaxpr.cache_keys()
        functions = [key[0]() for key in keys]
    except not_of_a_signal(Exception):
        return None
    return Counter(id(fun) for fun in functions if fun is not None)
