"""Keeps traces of this thread apart from the user's traces in JAX's caches, in both directions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from .facts import private

#: No profile of XLA has a negative version, and JAX hands on positive ones only: nothing is compiled otherwise.
_OF_OURS = -7


@contextmanager
def separate_traces() -> Iterator[None]:
    """While it is on, JAX neither reuses the traces that it made otherwise on this thread, nor reuses these later.

    JAX's caches depend on a setting for the compiler, which no trace reads. The setting is of this thread alone. A
    trace that is stopped at any place may leave JAX in the middle of it: afterwards JAX is where it was before.
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
