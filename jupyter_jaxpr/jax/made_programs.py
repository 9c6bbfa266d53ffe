"""Makes JAX's objects for a changed program: a trace with another program in it, the function of a jaxpr.

`made_ahead` finds the function whose `.lower()` or `.compile()` the user called.
"""

from __future__ import annotations

from collections.abc import Callable
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
