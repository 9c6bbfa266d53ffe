"""Compiles on one thread without JAX's persistent cache: the cache of executables on the disk."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .facts import private


@contextmanager
def without_disk_cache() -> Iterator[None]:
    """Compile on this thread without reading or writing JAX's cache on disk.

    JAX decides once in a process whether to use this cache; there is no switch for a single compile. Therefore JAX's
    function that computes the key of a cache entry (JAX 0.10 to 0.12) is replaced by one that returns no key on this
    thread.

    Raises:
        RuntimeError: The cache is on, and this version of JAX has no such function.
    """
    compiler = private("compiler")
    name = "_resolve_compilation_strategy"
    original = getattr(compiler, name, None)
    if original is None:
        import jax

        if getattr(jax.config, "jax_compilation_cache_dir", None):
            raise RuntimeError("this version of JAX cannot compile without its persistent cache")
        yield
        return
    with _beside_the_cache:
        thread = threading.get_ident()
        position = list(inspect.signature(original).parameters).index("compile_options")

        @functools.wraps(original)
        def strategy(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != thread:
                return original(*args, **kwargs)
            return None, kwargs["compile_options"] if "compile_options" in kwargs else args[position]

        setattr(compiler, name, strategy)
        try:
            yield
        finally:
            setattr(compiler, name, original)


_beside_the_cache = threading.Lock()
