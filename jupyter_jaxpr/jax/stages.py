"""Programs asked of JAX: a trace with another program in it, the function of a jaxpr, what is made ahead.

`quietly` keeps such a question out of everyone's events, `without_disk_cache` a compilation out of the cache on disk.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from .. import plain_text
from .facts import CACHE_MISS, private


def traced_with(traced: Any, jaxpr: Any) -> Any:
    """A `jax.stages.Traced` with another program in it: it lowers with the same shardings, layouts and donation.

    Args:
        traced: JAX's own.
        jaxpr: Of the same type, inputs and outputs.

    Raises:
        TypeError: The program has values of user-defined types, or calls of functions such as those of
            `jax.lax.custom_root`: JAX translates it by their Python before it lowers it.
    """
    import copy

    if getattr(traced.jaxpr, "is_high", False) and not _translated_by_jax_alone(traced.jaxpr):
        raise TypeError("to lower the program again, JAX would run the Python of user-defined types or functions")
    other = copy.copy(traced)
    other._params = {**traced._params, "jaxpr": jaxpr}
    other._lojax = None  # what it was translated to, kept at the first lowering
    return other


def _translated_by_jax_alone(jaxpr: Any) -> bool:
    """Whether what JAX translates before it lowers is only what jax.numpy is written in, such as searchsorted."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    if any(getattr(variable.aval, "is_high", False) for variable in (*jaxpr.constvars, *jaxpr.invars)):
        return False
    for equation in jaxpr.eqns:
        own = equation.params.get("_prim")
        if own is not None and not type(own).__module__.startswith("jax._src.numpy."):
            return False
        if any(getattr(variable.aval, "is_high", False) for variable in equation.outvars):
            return False
        inner = (
            each for value in equation.params.values() for each in (value if isinstance(value, tuple) else [value])
        )
        if not all(_translated_by_jax_alone(each) for each in inner if hasattr(getattr(each, "jaxpr", each), "eqns")):
            return False
    return True


def jaxpr_as_fun(jaxpr: Any) -> Callable[..., Any]:
    """A closed jaxpr as a function of its inputs, which returns a list.

    As `jax.extend.core.jaxpr_as_fun`. But `jax.extend` imports Pallas (0.12), which adds settings to what JAX's caches
    depend on: everything compiled before would be compiled once more.
    """
    made: Callable[..., Any] = private("core").jaxpr_as_fun(jaxpr)
    return made


def made_ahead(frame: FrameType | None) -> str | None:
    """The source of the function that JAX lowers or compiles because `.lower()` or `.compile()` was written.

    Args:
        frame: Of a listener of JAX's events.

    Returns:
        As `source_of` of its jit; None where JAX works for a call.
    """
    stages = private("stages")
    for _ in range(60):
        if frame is None or frame.f_code.co_name == CACHE_MISS:
            return None
        if frame.f_code.co_filename == stages.__file__ and frame.f_code.co_name in ("lower", "compile"):
            asked = frame.f_locals.get("self")
            if isinstance(asked, stages.Traced):
                about = getattr(asked.jaxpr, "jaxpr", asked.jaxpr).debug_info
            else:
                about = asked._lowering.compile_args["all_args_info"].debug_info  # type: ignore[union-attr]  # Lowered
            return plain_text.exact(about.func_src_info, plain_text.Limit.FILE)
        frame = frame.f_back
    return None


@contextmanager
def quietly() -> Iterator[None]:
    """Keep a question of ours to JAX, such as how it prints, out of everyone's events."""
    monitoring = private("monitoring")
    listeners = monitoring._event_duration_secs_listeners
    monitoring._event_duration_secs_listeners = []
    try:
        yield
    finally:
        monitoring._event_duration_secs_listeners = listeners


@contextmanager
def without_disk_cache() -> Iterator[None]:
    """What this thread compiles meanwhile is neither read from JAX's cache on disk nor written to it.

    JAX decides that once in a process, and has no switch for one compilation: the function that names the entry (jax
    0.10 to 0.12) says on this thread that there is none.

    Raises:
        RuntimeError: There is such a cache, and this JAX has no such function.
    """
    compiler = private("compiler")
    name = "_resolve_compilation_strategy"
    original = getattr(compiler, name, None)
    if original is None:
        import jax

        if getattr(jax.config, "jax_compilation_cache_dir", None):
            raise RuntimeError("this JAX cannot compile without its cache on disk")
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
