"""Small facts about JAX and its jitted functions: the bottom of this package, which imports no other module of it.

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


@functools.cache
def private(name: str) -> Any:
    """A private module of JAX: the one door to them. `private_names` lists what is used of each.

    Kept, because an import statement takes microseconds even where the module is there, at every miss.

    Raises:
        AttributeError: This JAX has no such module.
    """
    try:
        return importlib.import_module(f"jax._src.{name}")
    except ImportError as error:
        raise AttributeError(f"JAX has no module jax._src.{name}") from error


def staging() -> bool:
    """Whether JAX is recording a program now: a jitted function called now becomes a part of it."""
    core = private("core")
    trace = core.trace_ctx.trace
    if trace is core.eval_trace:
        return False
    while trace is not None:
        if type(trace).__name__ == "DynamicJaxprTrace":
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def source_of(options: Any) -> str | None:
    """The name and place of a jitted function as JAX notes them, from JAX's record of its jit."""
    source = getattr(options, "fun_sourceinfo", None)
    return plain_text.exact(source, plain_text.Limit.FILE) if isinstance(source, str) else None


def jit_name(fun: Any) -> str:
    """The name of a function in JAX's events and programs; a property of the user's is asked for the name."""
    name = stored_jit_name(fun)
    return plain_text.text_of(private("util").fun_name(fun)) if name is None else name


def stored_jit_name(fun: Any) -> str | None:
    """Likewise; None where the name is a property of the user's, which is not asked: JAX's first event tells."""
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
    """What a `functools.partial` was made of, read from the object and not from its class, which may be the user's."""

    func: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]


def partial_of(value: Any) -> Bound:
    """What a partial was made of."""
    read = functools.partial.__dict__
    return Bound(*(read[name].__get__(value) for name in ("func", "args", "keywords")))


def jitted_of(fun: Any, options: Any) -> Any:
    """The jitted function of the user's that runs `fun` with these options; None where it is gone."""
    import gc

    kind = jit_type()
    found = [each for each in gc.get_referrers(fun) if type(each) is kind and getattr(each, "_fun", None) is fun]
    return next((each for each in found if getattr(each, "_jit_info", None) is options), None)


def jitted_by_name(fun: Any) -> Any:
    """The jitted function that a decorator left under the name of `fun` in its module; None where there is none."""
    named = fun.__globals__.get(fun.__name__) if type(fun) is FunctionType else None
    return named if type(named) is jit_type() and getattr(named, "_fun", None) is fun else None


def is_deleted(value: Any) -> bool:
    """Whether an array was given away (donated) or deleted."""
    deleted = getattr(value, "is_deleted", None)
    return bool(deleted is not None and deleted())


def imported() -> bool:
    """Whether the user's kernel has imported JAX, to the end."""
    jax = sys.modules.get("jax")
    return jax is not None and "jax._src.pjit" in sys.modules and hasattr(jax, "jit")


@functools.cache
def jit_type() -> type:
    """The type of what `jax.jit` returns."""
    import jax

    return type(jax.jit(_nothing))


def _nothing() -> None:
    """Never called: its jit is only asked for its type."""


def is_jitted(value: Any) -> bool:
    """Whether a value is what `jax.jit` returns; imports nothing."""
    return imported() and type(value) is jit_type()


@functools.cache
def jax_directory() -> str:
    """Where JAX's own files lie, with a separator at the end; to be asked once JAX is imported."""
    import os

    import jax

    return os.path.dirname(jax.__file__) + os.sep


def backend_started() -> bool:
    """Whether JAX has a backend already; asking `jax.devices()` would start one, and take a GPU's memory."""
    if not imported():
        return False
    try:
        return bool(private("xla_bridge")._backends)
    except AttributeError:
        return False


def jit_disabled() -> bool:
    """Whether `jax.disable_jit` holds on this thread: a jitted function is plain Python then, and has no entries."""
    import jax

    config: Any = jax.config
    return bool(config.jax_disable_jit)


def is_tracer_type(kind: type) -> bool:
    """Whether values of a type stand for others while JAX traces."""
    return issubclass(kind, private("core").Tracer)


def functions_with_entries() -> list[Any]:
    """The jitted Python functions for which JAX holds entries now."""
    if not imported():
        return []
    # Those that JAX makes for programs of its own have no function behind them.
    return [each._fun for each in jitted_functions() if hasattr(each, "_fun") and each._cache_size()]


def jitted_functions() -> list[Any]:
    """Every function that `jax.jit` has made and that still exists; looks through all objects once (25 ms)."""
    import gc

    kind: Any = jit_type()
    # An object refers to its type, so the search is in C; a list of all objects takes twice as long to go through.
    return [found for found in gc.get_referrers(kind) if type(found) is kind]


def compile_can_be_interrupted() -> bool:
    """Whether Interrupt ends a compilation at once; else it waits until XLA returns.

    XLA looks for signals while it compiles up to jax 0.10 (measured: 0.01 s after the signal) and no longer with
    0.12 (25 s, the whole compilation).
    """
    import jax

    return tuple(jax.__version_info__[:2]) <= (0, 10)
