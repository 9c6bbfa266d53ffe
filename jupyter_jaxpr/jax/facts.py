"""Returns small facts about JAX and its jitted functions; this module imports no other module of the package.

Nothing here starts a backend, traces or compiles.
"""

from __future__ import annotations

import functools
import importlib
import sys
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from .. import plain_text

TRACE_EVENT = "/jax/core/compile/jaxpr_trace_duration"
LOWER_EVENT = "/jax/core/compile/jaxpr_to_mlir_module_duration"
COMPILE_EVENT = "/jax/core/compile/backend_compile_duration"
FROM_DISK_EVENT = "/jax/compilation_cache/cache_hits"
CACHE_MISS = "cache_miss"
TRACEBACK_WRAPPER = "reraise_with_filtered_traceback"
"""The name of the code in which JAX wraps its public functions to shorten tracebacks."""


@functools.cache
def private(name: str) -> Any:
    """Return a private module of JAX; all private modules are opened by this function; see `private_names`.

    The result is cached, because an import statement takes microseconds at every miss, even if the module is loaded.

    Raises:
        AttributeError: This version of JAX has no such module.
    """
    try:
        return importlib.import_module(f"jax._src.{name}")
    except ImportError as error:
        raise AttributeError(f"JAX has no module jax._src.{name}") from error


def staging() -> bool:
    """Return whether JAX is tracing, so that a jitted function which is called now becomes part of the trace."""
    core = private("core")
    trace = core.trace_ctx.trace
    if trace is core.eval_trace:
        return False
    while trace is not None:
        if type(trace).__name__ == "DynamicJaxprTrace":
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def transforming() -> bool:
    """Return whether vmap, grad or jvp is active, so that functions called now receive its tracers."""
    core = private("core")
    return core.trace_ctx.trace is not core.eval_trace


def source_of(options: Any) -> str | None:
    """Return the name and the place of a jitted function as JAX's record of its `jax.jit` has them."""
    source = getattr(options, "fun_sourceinfo", None)
    return plain_text.exact(source, plain_text.Limit.FILE) if isinstance(source, str) else None


def jit_name(fun: Any) -> str:
    """Return the name of a function in JAX's events and programs.

    This may run a property of the user's.
    """
    name = stored_jit_name(fun)
    return plain_text.text_of(private("util").fun_name(fun)) if name is None else name


def stored_jit_name(fun: Any) -> str | None:
    """Return the name of a function in JAX's events; None if finding it would run a property of the user's."""
    for _ in range(50):
        name = plain_text.own_name(fun)
        if name is not None:
            return name
        if not issubclass(type(fun), functools.partial):
            break
        fun = partial_of(fun).func
    return None if plain_text.attribute_of(fun, "__name__") is not None else _UNNAMED


_UNNAMED = "<unnamed function>"


@dataclass(frozen=True)
class Bound:
    """The parts of a `functools.partial`, read without calling methods of a user's subclass."""

    func: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]


def partial_of(value: Any) -> Bound:
    """Return the function, the arguments and the keyword arguments of a `functools.partial`."""
    read = functools.partial.__dict__
    return Bound(*(read[name].__get__(value) for name in ("func", "args", "keywords")))


def inside_checkify(fun: FunctionType) -> Any:
    """Return the function that a result of `checkify` calls; None for any other function.

    JAX stores no `__wrapped__` on the result.
    """
    code = fun.__code__
    if code.co_name != "checked_fun" or not code.co_filename.replace("\\", "/").endswith("jax/_src/checkify.py"):
        return None
    for name, cell in zip(code.co_freevars, fun.__closure__ or (), strict=True):
        if name == "f":
            return cell.cell_contents
    return None


def jitted_of(fun: Any, options: Any) -> Any:
    """Return the user's jitted function that runs `fun` with these options; None if it was deleted."""
    import gc

    kind = jit_type()
    candidates = [
        referrer
        for referrer in gc.get_referrers(fun)
        if type(referrer) is kind and getattr(referrer, "_fun", None) is fun
    ]
    return next((jitted for jitted in candidates if getattr(jitted, "_jit_info", None) is options), None)


def jitted_by_name(fun: Any) -> Any:
    """Return the jitted function that a decorator stored in the module of `fun` under its name.

    None if there is none.
    """
    named = fun.__globals__.get(fun.__name__) if type(fun) is FunctionType else None
    return named if type(named) is jit_type() and getattr(named, "_fun", None) is fun else None


def is_deleted(value: Any) -> bool:
    """Return whether an array was donated or deleted, so that it cannot be read."""
    deleted = getattr(value, "is_deleted", None)
    return bool(deleted is not None and deleted())


def imported() -> bool:
    """Return whether JAX is imported completely."""
    jax = sys.modules.get("jax")
    return jax is not None and "jax._src.pjit" in sys.modules and hasattr(jax, "jit")


@functools.cache
def jit_type() -> type:
    """Return the class of the functions that `jax.jit` returns."""
    import jax

    return type(jax.jit(_nothing))


def _nothing() -> None:
    """A function to be jitted, so that the class of `jax.jit` results is known."""


def is_jitted(value: Any) -> bool:
    """Return whether a value is a result of `jax.jit`; imports nothing."""
    return imported() and type(value) is jit_type()


def array_update_type() -> type:
    """Return the type of `x.at[i]` of an array; `ref.at[i]` of a JAX reference, which changes in place, has another.

    Raises:
        AttributeError: This version of JAX has no such type.
    """
    kind: type = private("numpy.array_methods")._IndexUpdateRef
    return kind


@functools.cache
def jax_directory() -> str:
    """Return the directory of JAX's files, ending with a separator; JAX must be imported."""
    import os

    import jax

    return os.path.dirname(jax.__file__) + os.sep


def backend_started() -> bool:
    """Return whether a JAX backend runs.

    `jax.devices()` is not used, because it would start one and take the memory of a GPU.
    """
    if not imported():
        return False
    try:
        return bool(private("xla_bridge")._backends)
    except AttributeError:
        return False


def only_platform() -> str | None:
    """Return the platform of JAX's backends, such as `cpu`; None if none or several run. Starts no backend."""
    if not backend_started():
        return None
    try:
        platforms = {backend.platform for backend in private("xla_bridge")._backends.values()}
    except AttributeError:
        return None
    return platforms.pop() if len(platforms) == 1 else None


def jit_disabled() -> bool:
    """Return whether `jax.disable_jit` is on in this thread, so that jitted functions run as plain Python."""
    import jax

    config: Any = jax.config
    return bool(config.jax_disable_jit)


def is_tracer_type(kind: type) -> bool:
    """Return whether a class is a class of JAX's tracers."""
    return issubclass(kind, private("core").Tracer)


def functions_with_entries() -> list[Any]:
    """Return the jitted Python functions for which JAX has cache entries."""
    if not imported():
        return []
    # Functions that JAX jits for its own work have no `_fun`.
    return [jitted._fun for jitted in jitted_functions() if hasattr(jitted, "_fun") and jitted._cache_size()]


def jitted_functions() -> list[Any]:
    """Return every existing result of `jax.jit`.

    The search through all objects takes 25 ms.
    """
    import gc

    kind: Any = jit_type()
    # Every object refers to its class, so the referrers of the class are its instances; this is twice as fast as a loop
    # over all objects.
    return [referrer for referrer in gc.get_referrers(kind) if type(referrer) is kind]
