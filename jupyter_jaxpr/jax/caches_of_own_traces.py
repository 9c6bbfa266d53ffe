"""Keeps traces of this package and traces of the user apart in JAX's caches: neither finds the other's traces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from .facts import private

# The version of XLA's profile that JAX's setting has within the block. No profile has a negative version, and JAX
# passes only positive versions to the compiler, so compiles do not change.
_OF_OURS = -7


@contextmanager
def separate_traces() -> Iterator[None]:
    """Within the block, use separate entries of JAX's caches for traces of this thread.

    To do so, the block changes, for this thread only, a compiler setting that is part of JAX's cache keys and that no
    trace reads. A trace that is stopped inside JAX leaves JAX's trace state changed; the state is restored afterwards.
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
