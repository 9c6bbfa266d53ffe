"""Counts the calls of `jax.clear_caches()`.

JAX tells each registered cache to clear itself. `ClearedCaches` is registered as a cache, by a weak reference of JAX,
and holds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .facts import private


class _NoEntries(NamedTuple):
    hits: int = 0
    misses: int = 0
    maxsize: int = 0
    currsize: int = 0


class ClearedCaches:
    """Counts the calls of `jax.clear_caches()`."""

    def __init__(self) -> None:
        self.times = 0
        self._registered: Any = {}  # the list of caches that JAX clears

    def watch(self) -> None:
        """Start counting.

        Raises:
            AttributeError: This JAX registers its caches in another way.
        """
        util = private("util")
        self._registered = util._caches
        util.register_cache(self, "jupyter_jaxpr counts how often jax.clear_caches runs")

    def end(self) -> None:
        """Stop counting."""
        self._registered.pop(self, None)
        self._registered = {}

    def cache_clear(self) -> None:
        """Count one call: JAX calls this method to clear the registered caches."""
        self.times += 1

    def cache_info(self) -> _NoEntries:
        """Return empty cache statistics, which JAX reads from each registered cache."""
        return _NoEntries()

    def cache_keys(self) -> Sequence[object]:
        """Return no keys, which JAX reads from each registered cache."""
        return ()
