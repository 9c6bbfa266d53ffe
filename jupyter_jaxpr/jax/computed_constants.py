"""Finds the functions of JAX in which a trace computes arrays instead of recording equations."""

from __future__ import annotations

import inspect
from types import CodeType
from typing import Any

from .facts import private


def computing_codes() -> tuple[CodeType, ...]:
    """Return the code objects that run when a trace begins to compute arrays.

    They belong to `jax.ensure_compile_time_eval` and to JAX's internal `eval_context`.
    """
    core = private("core")
    context_managers = (getattr(core, "ensure_compile_time_eval", None), getattr(core, "eval_context", None))
    bodies: list[Any] = [inspect.unwrap(manager) for manager in context_managers if manager is not None]
    return tuple(body.__code__ for body in bodies if hasattr(body, "__code__"))
