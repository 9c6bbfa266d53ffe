"""Finds the program that JAX holds for a call of a jitted function; none of the function's Python runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..interruptions import not_of_a_signal
from .facts import private


def call_leaves(called: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, list[Any]] | None:
    """The program that a jitted function runs for a call that it has seen, and the call's dynamic leaves.

    None where JAX does not hold that program any more: to find it, the function's Python would run again.
    """
    import jax

    try:
        with jax.no_tracing(True):
            traced, args_flat = private("pjit")._infer_params(called._fun, called._jit_info, tuple(args), kwargs)
    except not_of_a_signal(RuntimeError):
        return None
    return traced.params["jaxpr"], list(args_flat)


def held_trace(called: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """JAX's `jax.stages.Traced` of a call that it has traced before.

    None where JAX does not hold the trace: to make one, the function's Python would run. None of it runs here.
    """
    import jax

    try:
        with jax.no_tracing(True):
            return called.trace(*args, **kwargs)
    except not_of_a_signal(Exception):
        return None


def traces_by_function() -> dict[int, int] | None:
    """How many traces JAX holds of each function, by the `id` of the function; None where JAX does not tell."""
    try:
        keys = private("interpreters.partial_eval").trace_to_jaxpr.cache_keys()
        functions = [key[0]() for key in keys]
    except not_of_a_signal(Exception):
        return None
    return Counter(id(fun) for fun in functions if fun is not None)
