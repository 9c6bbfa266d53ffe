"""Counts the calls of `jax.clear_caches()`.

`jax.clear_caches()` calls `cache_clear` of each registered cache. `ClearedCaches` is registered as a cache, but stores
nothing. JAX holds it by a weak reference.
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
        self._registered: Any = {}  # JAX's list of registered caches

    def watch(self) -> None:
        """Start counting the calls of `jax.clear_caches()`.

        Raises:
            AttributeError: This version of JAX registers its caches in another way.
        """
        util = private("util")
        self._registered = util._caches
        util.register_cache(self, "jupyter_jaxpr counts how often jax.clear_caches runs")

    def end(self) -> None:
        """Stop counting the calls of `jax.clear_caches()`."""
        self._registered.pop(self, None)
        self._registered = {}

    def cache_clear(self) -> None:
        """Count one call of `jax.clear_caches()`, which calls this method of each registered cache."""
        self.times += 1

    def cache_info(self) -> _NoEntries:
        """Return empty cache statistics, which JAX reads from each registered cache."""
        return _NoEntries()

    def cache_keys(self) -> Sequence[object]:
        """Return no keys. JAX reads the keys of each registered cache; this object is no cache and has none."""
        return ()
