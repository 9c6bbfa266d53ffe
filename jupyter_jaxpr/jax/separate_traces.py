"""Keeps traces of this thread apart from the user's traces in JAX's caches, in both directions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from .facts import private

# No profile of XLA has a negative version, and JAX passes on only positive versions, so that compiles do not change.
_OF_OURS = -7


@contextmanager
def separate_traces() -> Iterator[None]:
    """Keep the traces in this block and the other traces of this thread apart in JAX's caches.

    JAX's caches depend on a setting for the compiler that no trace reads, and that is set for this thread alone. A
    trace that is stopped inside JAX leaves JAX's trace state changed: the state is restored afterwards.
    """
    setting = getattr(private("config"), "jax_xla_profile_version", None)
    context = getattr(private("core"), "trace_ctx", None)
    before = None if context is None else (context.trace, context.axis_env)
    with nullcontext() if setting is None else setting(_OF_OURS):
        try:
            yield
        finally:
            if context is not None and before is not None and context.trace is not before[0]:
                context.set_trace(before[0])
                context.set_axis_env(before[1])
