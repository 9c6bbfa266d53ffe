"""Makes a jitted copy of a function.

A call of the copy leaves JAX's caches of the function itself untouched.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...interruptions import not_of_a_signal
from .function_inside_wrappers import name_of


def jitted_copy(fun: Callable[..., Any], statics: Sequence[str]) -> Any:
    """Return `jax.jit` of a new function object that calls `fun`.

    Args:
        fun: A function that is not jitted.
        statics: The names of the static parameters, in the form that `static_names` returns.
    """
    import jax

    place_of = _places(fun)
    names = tuple(name for name in statics if not place_of(name)[1])
    if len(names) == len(statics):
        return jax.jit(_copy(fun), static_argnames=names)
    # A positional-only parameter is static only if its position is passed. JAX does not look up the positions of the
    # names if positions are passed, so all positions are passed.
    places = (place_of(name)[0] for name in statics)
    return jax.jit(
        _copy(fun), static_argnums=tuple(place for place in places if place is not None), static_argnames=names
    )


def jitted_anew(jitted: Any) -> Any:
    """Return a new jitted function that has the options and the Python function of `jitted`.

    Raises:
        AttributeError, TypeError: This version of JAX does not store the options in its jitted functions.
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
    """Return the names of parameters whose arguments JAX cannot trace: strings, functions, objects of the user's.

    Each argument that `*sizes` collects has its own name, such as `sizes[0]`.

    Args:
        fun: A function that is not jitted.
        args: The positional arguments of the call.
        kwargs: The keyword arguments of the call.
        scalars: True if Python numbers are static. With equinox's `filter_jit`, Python numbers are always static.
    """
    import jax

    scalars = scalars or type(fun).__module__.partition(".")[0] == "equinox"
    return tuple(
        name
        for name, value in _parameters(fun, args, kwargs)
        if any(_is_static(leaf, scalars) for leaf in jax.tree_util.tree_leaves(value))
    )


def _parameters(fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    try:
        bound = inspect.signature(fun).bind(*args, **kwargs)
    # the callable has no signature, or the call does not fit the signature and will raise
    except not_of_a_signal(TypeError, ValueError):
        return
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            yield from value.items()
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            yield from ((f"{name}[{place}]", value_of_place) for place, value_of_place in enumerate(value))
        else:
            yield name, value


def _places(fun: Callable[..., Any]) -> Callable[[str], tuple[int | None, bool]]:
    """Return a function that maps a parameter name to (position, whether the parameter is positional-only).

    The position is None for a keyword-only parameter.
    """
    try:
        parameters = list(inspect.signature(fun).parameters.values())
    except not_of_a_signal(TypeError, ValueError):  # the callable has no signature: no argument is static
        return lambda name: (None, False)
    places: dict[str, tuple[int | None, bool]] = {}
    several: dict[str, int] = {}
    for place, parameter in enumerate(parameters):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            several[parameter.name] = place
        elif parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
            places[parameter.name] = place, parameter.kind is inspect.Parameter.POSITIONAL_ONLY

    def place_of(name: str) -> tuple[int | None, bool]:
        owner, _, index = name.partition("[")
        if index and owner in several:
            return several[owner] + int(index[:-1]), True
        return places.get(name, (None, False))

    return place_of


def _is_static(leaf: Any, scalars: bool) -> bool:
    import jax

    if isinstance(leaf, bool | int | float | complex):
        return scalars
    try:
        jax.typeof(leaf)
    except not_of_a_signal(Exception):  # JAX cannot trace the leaf, so it must be static
        return True
    return False
