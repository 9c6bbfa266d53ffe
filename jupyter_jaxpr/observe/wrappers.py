"""A function that was given to jit in, what is wrapped around the user's own function out, such as jax.grad.

JAX's transformations give functions that know by `__wrapped__` what they were made of. JAX wraps them once more, to
shorten tracebacks: the name is that of the function inside.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from .functions import next_inside

#: Names of the code that JAX's transformations give, by where it is.
_TRANSFORMATIONS = {
    "grad_f": "jax.grad",
    "value_and_grad_f": "jax.value_and_grad",
    "vmap_f": "jax.vmap",
    "fun_remat": "jax.checkpoint",
}
_IN_JAX = "jax/_src/"

#: What is wrapped around a function, outermost first: the public name where it is known, else where its code is.
Wrappers = tuple[str, ...]


def wrappers_of(fun: Any) -> Wrappers:
    """What is wrapped around the user's function; empty where nothing written in Python is."""
    found: list[str] = []
    for _ in range(20):
        inside = next_inside(fun)
        if inside is None:
            break
        if isinstance(fun, FunctionType):
            found.append(_name(fun))
        fun = inside
    return tuple(found)


def written(wrappers: Wrappers, name: str) -> str | None:
    """As the user wrote it, such as jax.grad(jax.checkpoint(loss)); None where a wrapper is not known."""
    if not all(each.startswith("jax.") for each in wrappers):
        return None
    return "(".join([*wrappers, name]) + ")" * len(wrappers)


def _name(wrapper: FunctionType) -> str:
    code = wrapper.__code__
    for each in wrapper.__closure__ or ():
        inside = each.cell_contents if code.co_name == "reraise_with_filtered_traceback" else None
        if isinstance(inside, FunctionType):
            code = inside.__code__
            break
    file = code.co_filename.replace("\\", "/")
    public = _TRANSFORMATIONS.get(code.co_name) if _IN_JAX in file else None
    return public or f"{file}:{code.co_firstlineno}"
