"""Finds the user's function and the transforms inside a callable that JAX returned: `jax.grad(f)`, `jax.vmap(f)`.

`jax.grad(f)` is a function of JAX around another function of JAX around `f`. The functions that `jax.vjp` and
`jax.linearize` return contain a program instead; the program has the name of the user's function.
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
    """Return the transforms around a function as text, such as `vmap(grad)`; None if there are none."""
    names: list[str] = []
    for _ in range(_MOST):
        if type(fun) is not FunctionType or not fun.__code__.co_filename.startswith(jax_directory()):
            break
        fun = _behind_boundary(fun)
        if type(fun) is not FunctionType:
            break
        maker, _, within = fun.__code__.co_qualname.partition(".")
        # JAX implements grad as a wrapper around value_and_grad, which is therefore not listed after grad.
        if within and maker in _TRANSFORMS and (maker != "value_and_grad" or names[-1:] != ["grad"]):
            names.append(maker)
        cells = _cells(fun)
        # `vmap(grad(f)).__wrapped__` is f, so the inner transform is found in the closure instead.
        fun = next((cells[name] for name in _INNER if name in cells), vars(fun).get("__wrapped__"))
    return "(".join(names) + ")" * (len(names) - 1) if names else None


_INNER = ("fun", "value_and_grad_f")


class Transformed(NamedTuple):
    """What a transform such as `jax.grad(f, argnums=1)` was called with.

    Attributes:
        transform: The name of the transform.
        function: The function f, which may be a transformed function itself.
        argnums: The positions of the differentiated arguments; () for a transform without this option.
        has_aux: Whether the transform has the option has_aux=True.
    """

    transform: str
    function: Any
    argnums: tuple[int, ...] = ()
    has_aux: bool = False


def transformed_by(fun: Any) -> Transformed | None:
    """Return the transform that made a function of JAX, and its options; None for any other value."""
    transform = None
    for _ in range(len(_INNER) + 1):
        if type(fun) is not FunctionType or not fun.__code__.co_filename.startswith(jax_directory()):
            return None
        fun = _behind_boundary(fun)
        maker, _, within = fun.__code__.co_qualname.partition(".") if type(fun) is FunctionType else ("", "", "")
        if not within or maker not in _TRANSFORMS:
            return None
        transform = transform or maker
        cells = _cells(fun)
        if "fun" in cells:
            argnums = cells.get("argnums", ())
            numbers = (argnums,) if type(argnums) is int else tuple(argnums)
            return Transformed(transform, cells["fun"], numbers, cells.get("has_aux") is True)
        fun = cells.get("value_and_grad_f")
    return None


def runs_its_function(fun: Any) -> str | None:
    """Return the name of a transform, such as `jvp`, that calls its first argument at once.

    None for other callables.
    """
    if type(fun) is not FunctionType or not fun.__code__.co_filename.startswith(jax_directory()):
        return None
    inner = _behind_boundary(fun)
    if type(inner) is not FunctionType:
        return None
    name = inner.__code__.co_qualname
    return name if name in _AT_ONCE and inner.__code__.co_filename.endswith("api.py") else None


def linear_of(linear_function: Any) -> Linear | None:
    """Return the transform and the user's function of a result of `jax.vjp` or `jax.linearize`.

    None for other objects.
    """
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
    """Return the function inside JAX's wrapper that shortens tracebacks.

    A function without this wrapper is returned unchanged.
    """
    return _cells(fun).get("fun", fun) if fun.__code__.co_name == TRACEBACK_WRAPPER else fun


def _cells(fun: FunctionType) -> dict[str, Any]:
    """Return {name: value} for the variables that a function of JAX has in its closure."""
    values = {}
    for name, cell in zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except not_of_a_signal(ValueError):
            pass  # the closure cell is empty: its variable has no value yet
    return values
