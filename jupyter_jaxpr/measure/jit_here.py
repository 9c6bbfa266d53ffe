"""A function and its arguments in, a jitted copy out: JAX's caches of the function itself stay untouched."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..observe.functions import name_of


def jitted_copy(fun: Callable[..., Any], statics: Sequence[str]) -> Any:
    """`jax.jit` of a new function object that calls `fun`.

    Args:
        fun: Not jitted.
        statics: Names of its parameters that JAX is to take as they are.
    """
    import jax

    return jax.jit(_copy(fun), static_argnames=tuple(statics))


def jitted_anew(jitted: Any) -> Any:
    """`jax.jit` of a new function object that calls what a jitted function calls, with the same options.

    Raises:
        AttributeError, TypeError: A JAX whose jitted functions do not say their options.
    """
    import jax

    info = jitted._jit_info
    options: dict[str, Any] = {
        "static_argnums": info.static_argnums or None,
        "static_argnames": info.static_argnames or None,
        "donate_argnums": info.donate_argnums or None,
        "donate_argnames": info.donate_argnames or None,
        "keep_unused": info.keep_unused,
        "compiler_options": dict(info.compiler_options_kvs) or None,
    }
    for side in ("in_shardings", "out_shardings"):
        leaves = getattr(info, f"{side}_leaves")
        if any(type(leaf).__name__ != "UnspecifiedValue" for leaf in leaves):
            options[side] = jax.tree_util.tree_unflatten(getattr(info, f"{side}_treedef"), leaves)
    return jax.jit(_copy(jitted.__wrapped__), **options)


def _copy(fun: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fun, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        return fun(*args, **kwargs)

    call.__name__ = name_of(fun)
    return call


def static_names(
    fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], scalars: bool
) -> tuple[str, ...]:
    """The parameters that are given what JAX cannot trace: strings, functions, objects of the user's.

    Args:
        fun: Not jitted.
        args: Of the call.
        kwargs: Likewise.
        scalars: Count Python's own numbers among them.
    """
    import jax

    return tuple(
        name
        for name, value in _parameters(fun, args, kwargs)
        if any(_is_static(leaf, scalars) for leaf in jax.tree_util.tree_leaves(value))
    )


def _parameters(fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    try:
        bound = inspect.signature(fun).bind(*args, **kwargs)
    except (TypeError, ValueError):  # no signature, or a call that will raise
        return
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            yield from value.items()
        elif kind is not inspect.Parameter.VAR_POSITIONAL:
            yield name, value


def _is_static(leaf: Any, scalars: bool) -> bool:
    import jax

    if isinstance(leaf, bool | int | float | complex):
        return scalars
    try:
        jax.typeof(leaf)
    except Exception:  # no type of JAX's
        return True
    return False
