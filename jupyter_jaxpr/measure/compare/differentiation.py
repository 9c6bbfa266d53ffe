"""Decides, only by tracing, whether JAX can differentiate a function at its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...interruptions import not_of_a_signal
from ...plain_text import kind_name, message_of

Direction = Literal["reverse", "forward", "none", "no_floats", "unknown"]
_WORDS = 400


@dataclass(frozen=True)
class Differentiable:
    """Whether, and in which direction, JAX can differentiate a function.

    Attributes:
        direction: reverse: `jax.grad` and `jax.vjp` work. forward: only `jax.jvp` works. none: neither works.
            no_floats: no argument, or no part of the result, has a type with derivatives.
        note: JAX's error message if a direction does not work.
    """

    direction: Direction
    note: str | None = None


def differentiability(call: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Differentiable:
    """Trace the derivatives of a call with respect to its inexact arguments; raises no error.

    The Python of a function that is not jitted runs again, with tracers.
    """
    import jax

    leaves, tree = jax.tree_util.tree_flatten((tuple(args), dict(kwargs)))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array) and _is_inexact(leaf)]
    if not places:  # Python floats are used only if there is no inexact array, because they may be static arguments
        places = [i for i, leaf in enumerate(leaves) if not isinstance(leaf, jax.Array) and _is_inexact(leaf)]
    if not places:
        return Differentiable("no_floats")

    def of_floats(*floats: Any) -> list[Any]:
        all_leaves = list(leaves)
        for place, value in zip(places, floats, strict=True):
            all_leaves[place] = value
        inner_args, inner_kwargs = jax.tree_util.tree_unflatten(tree, all_leaves)
        result = jax.tree_util.tree_leaves(call(*inner_args, **inner_kwargs))
        return [leaf for leaf in result if _is_inexact(leaf)]

    def reverse(*floats: Any) -> Any:
        primals, pull_back = jax.vjp(of_floats, *floats)
        return pull_back(primals)

    floats = [leaves[place] for place in places]
    try:
        if not jax.eval_shape(of_floats, *floats):
            return Differentiable("no_floats")
    except not_of_a_signal(Exception) as error:
        return Differentiable("unknown", words(error))
    try:
        jax.eval_shape(reverse, *floats)
        return Differentiable("reverse")
    except not_of_a_signal(Exception) as error:
        why = words(error)
    try:
        jax.eval_shape(lambda *floats: jax.jvp(of_floats, floats, floats), *floats)
        return Differentiable("forward", why)
    except not_of_a_signal(Exception) as error:
        return Differentiable("none", words(error))


def words(error: BaseException) -> str:
    """Return the class name and the first line of the message of an exception."""
    text = message_of(error).strip().partition("\n")[0].strip()
    text = text if len(text) <= _WORDS else text[: _WORDS - 1] + "…"
    return f"{kind_name(type(error))}: {text}" if text else kind_name(type(error))


def _is_inexact(leaf: Any) -> bool:
    import jax

    try:
        dtype = jax.typeof(leaf).dtype
    except not_of_a_signal(Exception):  # JAX has no type for the leaf, which may be a string
        return False
    return bool(jax.numpy.issubdtype(dtype, jax.numpy.inexact))
