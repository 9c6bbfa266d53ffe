"""Finds the function and the transforms inside a callable of JAX's: `jax.grad(f)`, `jax.vmap(f)`, `pull`.

JAX wraps the functions that it returns: `jax.grad(f)` is a function of `jax` around a function of `jax` around `f`.
The functions that `jax.vjp` and `jax.linearize` return hold a program instead, and the program names the function
that it was made from.
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any, NamedTuple

from ..interruptions import not_of_a_signal
from .facts import TRACEBACK_WRAPPER, jax_directory

_TRANSFORMS = frozenset({"grad", "value_and_grad", "vmap", "checkpoint", "jacfwd", "jacrev", "vectorize"})
_AT_ONCE = frozenset({"jvp", "vjp", "linearize"})
_MOST = 20


class Linear(NamedTuple):
    """The result of `jax.vjp`, `jax.linearize` or `jax.linear_transpose`: the transform and the user's function."""

    transform: str
    name: str
    file: str
    line: int


def transforms_around(fun: Any) -> str | None:
    """Return the transforms around a function, such as `vmap(grad)`; None without a transform."""
    names: list[str] = []
    for _ in range(_MOST):
        if type(fun) is not FunctionType or not fun.__code__.co_filename.startswith(jax_directory()):
            break
        fun = _behind_boundary(fun)
        if type(fun) is not FunctionType:
            break
        maker, _, within = fun.__code__.co_qualname.partition(".")
        if (
            within and maker in _TRANSFORMS and (maker != "value_and_grad" or names[-1:] != ["grad"])
        ):  # grad is a wrapper around value_and_grad
            names.append(maker)
        cells = _cells(fun)
        # For `vmap(grad(f))` JAX stores only f as `__wrapped__`.
        fun = next((cells[name] for name in _INNER if name in cells), vars(fun).get("__wrapped__"))
    return "(".join(names) + ")" * (len(names) - 1) if names else None


_INNER = ("fun", "value_and_grad_f")


def runs_its_function(fun: Any) -> str | None:
    """Return the name of a transform that runs its first argument at once, such as `jvp`; None for other callables."""
    if type(fun) is not FunctionType or not fun.__code__.co_filename.startswith(jax_directory()):
        return None
    inner = _behind_boundary(fun)
    if type(inner) is not FunctionType:
        return None
    name = inner.__code__.co_qualname
    return name if name in _AT_ONCE and inner.__code__.co_filename.endswith("api.py") else None


def linear_of(linear_function: Any) -> Linear | None:
    """Return the transform and the function of a result of `jax.vjp` or `jax.linearize`; None for other objects."""
    kind = type(linear_function)
    if kind.__module__.partition(".")[0] != "jax":
        return None
    if kind.__name__ == "VJP":
        transform, inner = "vjp", getattr(linear_function, "fun", None)
    elif kind.__name__ == "Partial" and type(linear_function.func).__name__ == "_HashableCallableShim":
        transform, inner = (
            "linearize",
            getattr(linear_function.func, "fun", None) or getattr(linear_function.func, "val", None),
        )
    elif kind.__name__ == "Partial" and type(linear_function.func) is FunctionType:
        transposed = _behind_boundary(linear_function.func)
        is_known = type(transposed) is FunctionType and transposed.__code__.co_name == "transposed_fun"
        transform, inner = "linear_transpose", tuple(_cells(transposed).values()) if is_known else None
    else:
        return None
    held_parts = inner.args if type(inner) is functools.partial else inner if type(inner) is tuple else ()
    for value in held_parts:
        source = getattr(getattr(getattr(value, "jaxpr", value), "debug_info", None), "func_src_info", None)
        if isinstance(source, str):
            name, _, place = source.partition(" at ")
            file, _, line = place.rpartition(":")
            return Linear(transform, name, file, int(line) if line.isdigit() else 0)
    return None


def _behind_boundary(fun: FunctionType) -> Any:
    """Return the function inside JAX's frame for shortened tracebacks; the function itself without such a frame."""
    return _cells(fun).get("fun", fun) if fun.__code__.co_name == TRACEBACK_WRAPPER else fun


def _cells(fun: FunctionType) -> dict[str, Any]:
    """Return the values in the closure of a JAX function, by name."""
    values = {}
    for name, cell in zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except not_of_a_signal(ValueError):
            pass  # an empty closure cell has no contents
    return values
