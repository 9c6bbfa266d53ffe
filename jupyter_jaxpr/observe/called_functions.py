"""Finds the user's function that a call runs: `f` for `jax.grad(f)(x)`, for `jax.vjp(f, x)` and for `pull(1.0)`.

`pull` is the function that `jax.vjp(f, x)` returns. Without jit, JAX runs `f` operation by operation, under the
transform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..jax.transformed import linear_of, runs_its_function, transforms_around
from ..plain_text import text_of
from .code_of_callables import code_of, name_of, place_of
from .observation import Place
from .user_or_library.library_functions import is_users
from .user_or_library.whose_code import is_installed


@dataclass(frozen=True)
class CalledFunction:
    """The user's function that a call runs, and the transform that the call applies.

    Attributes:
        name: The name of the function.
        definition: The place where the function is defined.
        transform: The transform under which the function runs, such as `grad` or `vjp backward`; None without one.
        is_backward: The call runs a function that a transform made, not the Python of the user's function.
    """

    name: str
    definition: Place | None
    transform: str | None = None
    is_backward: bool = False


_PASSES = {"vjp": "vjp backward", "linearize": "linear part"}


def runs_for_user(fun: Any) -> bool:
    """Return whether a call of `fun` runs a function of the user's; False where only the arguments can show this."""
    linear = linear_of(fun)
    if linear is not None:
        return not is_installed(linear.file)
    return runs_its_function(fun) is not None or is_users(fun)


def called_function(fun: Any, args: Sequence[Any]) -> CalledFunction:
    """Return the user's function that `fun` calls with these arguments: for `fun = jax.vjp` and `args = (f, x)`, f."""
    linear = linear_of(fun)
    if linear is not None:
        name = text_of(linear.name)
        transform = _PASSES.get(linear.transform, linear.transform)
        return CalledFunction(name, Place(text_of(linear.file), linear.line, name), transform, is_backward=True)
    at_once = runs_its_function(fun)
    if at_once is not None and args and callable(args[0]):
        function = called_function(args[0], ())
        around = f"{at_once}({function.transform})" if function.transform else at_once
        forward = " forward" if at_once == "vjp" else ""
        return CalledFunction(function.name, function.definition, around + forward)
    return CalledFunction(name_of(fun), place_of(code_of(fun)), transforms_around(fun) or _equinox_transforms(fun))


def _equinox_transforms(fun: Any) -> str | None:
    """Return the transforms of equinox and of JAX around a function, such as `filter_vmap(filter_grad)`."""
    names: list[str] = []
    for _ in range(_MOST):
        kind = type(fun)
        wrapper = _EQUINOX.get(kind.__name__) if kind.__module__.startswith("equinox._") else None
        if wrapper is None:
            break
        name, inner = wrapper
        # equinox makes `filter_grad` of `filter_value_and_grad`, so only `filter_grad` is named
        if not (name == "filter_value_and_grad" and names[-1:] == ["filter_grad"]):
            names.append(name)
        fun = getattr(fun, inner, None)
    else:
        return None
    if names and (within := transforms_around(fun)) is not None:
        names.append(within)
    return "(".join(names) + ")" * (len(names) - 1) if names else None


# class of equinox's wrapper -> (the transform that makes the wrapper, the attribute with the wrapped function)
_EQUINOX = {
    "_CheckpointWrapper": ("filter_checkpoint", "_fun"),
    "_GradWrapper": ("filter_grad", "_fun_value_and_grad"),
    "_ValueAndGradWrapper": ("filter_value_and_grad", "_fun"),
    "_VmapWrapper": ("filter_vmap", "_fun"),
}
_MOST = 20


def is_library_jit(value: Any) -> bool:
    """Return whether a value is the result of equinox's `filter_jit` or flax's `nnx.jit`, which act like `jax.jit`."""
    kind = type(value)
    return kind.__module__.partition(".")[0] in ("equinox", "flax") and "jit" in kind.__name__.lower()
