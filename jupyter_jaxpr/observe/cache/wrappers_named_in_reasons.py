"""Finds the wrappers, such as jax.grad, between `jax.jit` and the user's function.

The function that a JAX transformation returns refers to the original function by `__wrapped__`. JAX adds one more
wrapper, which shortens tracebacks and has the name of the function inside.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import TRACEBACK_WRAPPER, inside_checkify
from ...plain_text import file_of, function_of, kind_name, own_name
from ..functions.function_inside_wrappers import next_inside

# qualified name of the code object that a JAX transformation returns -> public name of the transformation
_TRANSFORMATIONS = {
    "grad.<locals>.grad_f": "jax.grad",
    "value_and_grad.<locals>.value_and_grad_f": "jax.value_and_grad",
    "vmap.<locals>.vmap_f": "jax.vmap",
    "checkpoint.<locals>.fun_remat": "jax.checkpoint",
    "jacfwd.<locals>.jacfun": "jax.jacfwd",
    "jacrev.<locals>.jacfun": "jax.jacrev",
    "_shard_map.<locals>.wrapped": "jax.shard_map",
    "pmap.<locals>.wrapped": "jax.pmap",
    "checkify.<locals>.checked_fun": "jax.experimental.checkify.checkify",
}
_IN_JAX = "jax/_src/"

# The wrappers around a function, outermost first: each a public name such as jax.grad, or the file and line of its
# code. A gradient with regard to other arguments than the first has its argnums behind the name: jax.grad, argnums=1.
Wrappers = tuple[str, ...]
_OF_ARGNUMS = ("jax.grad", "jax.value_and_grad")


def wrappers_of(fun: Any) -> Wrappers:
    """Return the wrappers around the user's function, outermost first; () if there are none."""
    names: list[str] = []
    for _ in range(20):
        inside = next_inside(fun)
        if inside is None:
            break
        # JAX's traceback wrapper has the name of the function inside, which follows if that function wraps the user's
        is_named_inside = type(inside) is FunctionType and inside_checkify(inside) is not None
        if type(fun) is FunctionType and not (is_named_inside and fun.__code__.co_name == TRACEBACK_WRAPPER):
            names.append(_name(fun))
        fun = inside
    return tuple(names)


def equinox_wrappers(kind: type) -> Wrappers:
    """Return the wrapper of equinox around the user's function in `equinox.filter_jit`, such as `equinox.filter_grad`.

    `kind` is the class of the object that `filter_jit` wraps. Return () if the object is no wrapper.
    """
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
    """Return the options of the JAX transformations around a function, such as `argnums=1`.

    Only numbers, strings, None, and lists and tuples of these are returned.
    """
    options: list[str] = []
    for _ in range(20):
        inside = next_inside(fun)
        if inside is None:
            break
        _add_options(fun, options, 4)
        fun = inside
    return tuple(options)


def _add_options(fun: Any, texts: list[str], depth: int) -> None:
    if type(fun) is not FunctionType or _IN_JAX not in file_of(fun.__code__).replace("\\", "/"):
        return
    for name, cell in zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except not_of_a_signal(ValueError):  # the closure cell is empty: its variable has no value yet
            continue
        if _is_plain(value):
            texts.append(f"{name}={value!r}")
        elif depth:
            _add_options(value, texts, depth - 1)


def _is_plain(value: Any) -> bool:
    if type(value) in (tuple, list):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, str)


def written(wrappers: Wrappers, name: str) -> str | None:
    """Return the wrapped function as source code, such as jax.grad(jax.checkpoint(loss)).

    Return None if a wrapper has no public name in JAX or equinox.
    """
    if not all(wrapper.startswith(("jax.", "equinox.")) for wrapper in wrappers):
        return None
    text = name
    for wrapper in reversed(wrappers):
        transform, comma, option = wrapper.partition(", ")
        text = f"{transform}({text}{comma}{option})"
    return text


def _name(wrapper: FunctionType) -> str:
    code = wrapper.__code__
    for cell in wrapper.__closure__ or ():
        inside = cell.cell_contents if code.co_name == TRACEBACK_WRAPPER else None
        if type(inside) is FunctionType:
            code = inside.__code__
            break
    file = file_of(code).replace("\\", "/")
    public = _TRANSFORMATIONS.get(function_of(code)) if _IN_JAX in file else None
    if public in _OF_ARGNUMS:
        options: list[str] = []
        _add_options(wrapper, options, 4)
        argnums = next((option for option in options if option.startswith("argnums=")), "argnums=0")
        return public if argnums == "argnums=0" else f"{public}, {argnums}"
    return public or f"{file}:{code.co_firstlineno}"
