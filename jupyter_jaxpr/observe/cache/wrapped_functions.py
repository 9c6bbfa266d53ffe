"""Finds the wrappers around the user's function in a jitted function, such as jax.grad.

JAX's transformations give functions that know by `__wrapped__` what they were made of. JAX wraps them once more, to
shorten tracebacks: the name is that of the function inside.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import file_of, function_of, kind_name, own_name
from ..functions import next_inside

#: What JAX calls the code that its transformations give.
_TRANSFORMATIONS = {
    "grad.<locals>.grad_f": "jax.grad",
    "value_and_grad.<locals>.value_and_grad_f": "jax.value_and_grad",
    "vmap.<locals>.vmap_f": "jax.vmap",
    "checkpoint.<locals>.fun_remat": "jax.checkpoint",
    "jacfwd.<locals>.jacfun": "jax.jacfwd",
    "jacrev.<locals>.jacfun": "jax.jacrev",
    "_shard_map.<locals>.wrapped": "jax.shard_map",
    "pmap.<locals>.wrapped": "jax.pmap",
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
        if type(fun) is FunctionType:
            found.append(_name(fun))
        fun = inside
    return tuple(found)


def equinox_wrappers(kind: type) -> Wrappers:
    """What of equinox is around the function in `equinox.filter_jit`, whose class is `kind`."""
    if not (own_name(kind, "__module__") or "").startswith("equinox._"):
        return ()
    name = kind_name(kind)
    return (_EQUINOX.get(name, name),)


_EQUINOX = {
    "_CheckpointWrapper": "equinox.filter_checkpoint",
    "_GradWrapper": "equinox.filter_grad",
    "_ValueAndGradWrapper": "equinox.filter_value_and_grad",
    "_VmapWrapper": "equinox.filter_vmap",
}


def options_of(fun: Any) -> tuple[str, ...]:
    """What JAX's transformations around a function were given besides it, such as `argnums=1`; plain values only."""
    found: list[str] = []
    for _ in range(20):
        inside = next_inside(fun)
        if inside is None:
            break
        _add_options(fun, found, 4)
        fun = inside
    return tuple(found)


def _add_options(fun: Any, found: list[str], depth: int) -> None:
    if type(fun) is not FunctionType or _IN_JAX not in file_of(fun.__code__).replace("\\", "/"):
        return
    for name, cell in zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except not_of_a_signal(ValueError):  # not assigned yet
            continue
        if _is_plain(value):
            found.append(f"{name}={value!r}")
        elif depth:
            _add_options(value, found, depth - 1)


def _is_plain(value: Any) -> bool:
    if type(value) in (tuple, list):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, str)


def written(wrappers: Wrappers, name: str) -> str | None:
    """As the user wrote it, such as jax.grad(jax.checkpoint(loss)); None where a wrapper is not known."""
    if not all(each.startswith(("jax.", "equinox.")) for each in wrappers):
        return None
    return "(".join([*wrappers, name]) + ")" * len(wrappers)


def _name(wrapper: FunctionType) -> str:
    code = wrapper.__code__
    for each in wrapper.__closure__ or ():
        inside = each.cell_contents if code.co_name == "reraise_with_filtered_traceback" else None
        if type(inside) is FunctionType:
            code = inside.__code__
            break
    file = file_of(code).replace("\\", "/")
    public = _TRANSFORMATIONS.get(function_of(code)) if _IN_JAX in file else None
    return public or f"{file}:{code.co_firstlineno}"
