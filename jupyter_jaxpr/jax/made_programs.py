"""Makes JAX's objects for a changed program: a trace with another program in it, the function of a jaxpr.

`without_disk_cache` compiles without JAX's cache on disk; `unheard` keeps such work out of all events. `made_ahead`
finds the function whose `.lower()` or `.compile()` the user called.
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
    """Return a copy of a `jax.stages.Traced` with another program; shardings, layouts and donation are the same.

    Args:
        traced: The `jax.stages.Traced` to copy.
        jaxpr: The other program, with the same types of inputs and outputs.

    Raises:
        TypeError: The program has values of user-defined types, or calls functions such as those of
            `jax.lax.custom_root`: JAX would run their Python to convert the program before it lowers it.
    """
    import copy

    if getattr(traced.jaxpr, "is_high", False) and not _translated_by_jax_alone(traced.jaxpr):
        raise TypeError("to lower the program again, JAX would run the Python of user-defined types or functions")
    copied = copy.copy(traced)
    copied._params = {**traced._params, "jaxpr": jaxpr}
    copied._lojax = None  # JAX's cache of the program as converted for lowering, which the copy must not share
    return copied


def _translated_by_jax_alone(jaxpr: Any) -> bool:
    """Return whether JAX has to convert only its own high-level primitives, such as searchsorted, before lowering."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    if any(getattr(variable.aval, "is_high", False) for variable in (*jaxpr.constvars, *jaxpr.invars)):
        return False
    for equation in jaxpr.eqns:
        primitive = equation.params.get("_prim")
        if primitive is not None and not type(primitive).__module__.startswith("jax._src.numpy."):
            return False
        if any(getattr(variable.aval, "is_high", False) for variable in equation.outvars):
            return False
        inner = (
            part for value in equation.params.values() for part in (value if isinstance(value, tuple) else [value])
        )
        if not all(_translated_by_jax_alone(part) for part in inner if hasattr(getattr(part, "jaxpr", part), "eqns")):
            return False
    return True


def jaxpr_as_fun(jaxpr: Any) -> Callable[..., Any]:
    """Return a closed jaxpr as a function of its inputs that returns a list.

    `jax.extend.core.jaxpr_as_fun` does the same. But in 0.12 `jax.extend` imports Pallas, which adds settings to JAX's
    cache keys, so that everything would be compiled again.
    """
    function: Callable[..., Any] = private("core").jaxpr_as_fun(jaxpr)
    return function


def made_ahead(frame: FrameType | None) -> str | None:
    """Return which function JAX lowers or compiles at present because of the user's `.lower()` or `.compile()`.

    Args:
        frame: The frame of a listener to a JAX event.

    Returns:
        The text that `source_of` returns for the function; None if JAX works for a call.
    """
    stages = private("stages")
    for _ in range(60):
        if frame is None or frame.f_code.co_name == CACHE_MISS:
            return None
        if frame.f_code.co_filename == stages.__file__ and frame.f_code.co_name in ("lower", "compile"):
            stage_object = frame.f_locals.get("self")
            if isinstance(stage_object, stages.Traced):
                about = getattr(stage_object.jaxpr, "jaxpr", stage_object.jaxpr).debug_info
            else:
                about = stage_object._lowering.compile_args["all_args_info"].debug_info  # type: ignore[union-attr]  # the stage is a `Lowered`
            return plain_text.exact(about.func_src_info, plain_text.Limit.FILE)
        frame = frame.f_back
    return None


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
