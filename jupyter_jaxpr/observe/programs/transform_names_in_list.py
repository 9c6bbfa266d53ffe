"""Names the transform under which the user's function ran, such as `vmap(grad)`, `vjp backward` or `linear part`.

The list of programs shows the name beside the name of the function.
"""

from __future__ import annotations

from typing import Any

from ...jax.transforms_around_function import transforms_around

#: Transform -> the name of the function that the transform returned, such as `pull` of `out, pull = jax.vjp(f, x)`.
_DERIVED = {"vjp": "vjp backward", "linearize": "linear part"}


def name_of_derived(transform: str) -> str:
    """Return the name of a call of a function that a transform returned, such as `vjp backward` for `pull(1.0)`."""
    return _DERIVED.get(transform, transform)


def name_at_once(transform: str, inner: str | None) -> str:
    """Return the name of a call of a transform that runs the function at once: `vjp(grad) forward`.

    Args:
        transform: The transform that is called, such as `vjp` in `jax.vjp(jax.grad(f), x)`.
        inner: The name of the transforms around the function; None without any.
    """
    around = f"{transform}({inner})" if inner else transform
    return f"{around} forward" if transform == "vjp" else around


def names_around(fun: Any) -> str | None:
    """Return the names of the transforms of JAX and of equinox around a function; None if there are none."""
    return transforms_around(fun) or _equinox_transforms(fun)


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


#: Class of equinox's wrapper -> (the transform that makes the wrapper, the attribute with the wrapped function)
_EQUINOX = {
    "_CheckpointWrapper": ("filter_checkpoint", "_fun"),
    "_GradWrapper": ("filter_grad", "_fun_value_and_grad"),
    "_ValueAndGradWrapper": ("filter_value_and_grad", "_fun"),
    "_VmapWrapper": ("filter_vmap", "_fun"),
}
_MOST = 20
