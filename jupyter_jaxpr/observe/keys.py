"""A call of a jitted function in, the ingredients of its cache key out: types and static values, never arrays.

JAX's own keys cannot be read from its C++ cache, so a key is taken at each miss from the same arguments JAX sees.
It is cheap (0.2 us a leaf): avals and shardings are JAX's own objects, and names of leaves are worked out only when
two keys are compared.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LAYOUTS_UP_TO = 32
"""Leaves up to which the memory layout is recorded: reading it costs 1.5 us a leaf."""

UNKNOWN = object()


@dataclass(frozen=True, slots=True)
class Leaf:
    """The part of the key that one dynamic leaf gives."""

    aval: Any  # jax's ShapedArray as JAX abstracts the value, or None where it is no valid argument
    holder: str  # what held the value: 'jax.Array', 'numpy', 'float', 'tracer', ...
    sharding: Any  # jax.sharding.Sharding of a jax.Array, else None
    committed: bool | None
    layout: Any  # major-to-minor order of a jax.Array, None where not read

    @property
    def weak(self) -> bool:
        """Whether the leaf is weakly typed."""
        return bool(getattr(self.aval, "weak_type", False))

    def describe(self) -> str:
        """The type as JAX prints it, such as f32[8,4], or the Python type where it has none."""
        if self.aval is None:
            return self.holder
        return type_text(self.aval)


@dataclass(frozen=True, slots=True)
class StaticValue:
    """A static argument: the value itself, as JAX's own caches hold it, and a short text of it."""

    value: Any
    text: str


@dataclass(frozen=True, slots=True)
class Key:
    """The ingredients of one call's cache key."""

    positional: int
    keywords: tuple[str, ...]
    statics: Mapping[str, StaticValue]  # by parameter name
    names: tuple[str, ...]  # parameter name of each dynamic positional argument, then of each keyword
    treedef: Any  # of (positional, keywords), dynamic ones only
    leaves: tuple[Leaf, ...]
    context: Sequence[Any]  # values of JAX's trace context
    context_names: Sequence[str]
    options: Any  # what jax.jit was called with

    @property
    def traced(self) -> bool:
        """Whether the call was made with tracers: under a transformation or while another jit traced."""
        return any(leaf.holder == "tracer" for leaf in self.leaves)


def type_text(aval: Any) -> str:
    """An aval as JAX prints it, such as f32[8,4]."""
    try:
        return str(aval.str_short(short_dtypes=True))
    except Exception:  # an aval class of a library: its own text is better than none
        return str(aval)


def value_text(value: Any, limit: int = 60) -> str:
    """A short text of a static value: its repr on one line, or its type where repr fails or shows an address."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        return f"<{type(value).__name__}>"
    if " at 0x" in text:
        name = getattr(value, "__qualname__", None) or type(value).__name__
        return f"<{name}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def key_of(
    fun: Callable[..., Any],
    options: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    leaf_of: Callable[[Any, bool], Leaf],
    flatten: Callable[[Any], tuple[list[Any], Any]],
    context: Sequence[Any],
    context_names: Sequence[str],
) -> Key:
    """Take the key of one call.

    Args:
      fun: the Python function that was jitted.
      options: JAX's record of what jit was called with; `fun_signature`, `static_argnums` and
        `static_argnames` are read.
      args: positional arguments of the call.
      kwargs: keyword arguments of the call.
      leaf_of: abstracts one value; the flag says whether to read its layout.
      flatten: `jax.tree_util.tree_flatten`.
      context: values of JAX's trace context at the call.
      context_names: their names.

    Returns:
      The key. It holds no array.
    """
    signature = getattr(options, "fun_signature", None)
    count = len(args)
    static_positions = {n + count if n < 0 else n for n in getattr(options, "static_argnums", ()) or ()}
    static_names = set(getattr(options, "static_argnames", ()) or ())
    parameter_names = _positional_names(signature, count)
    statics: dict[str, StaticValue] = {}
    names: list[str] = []
    dynamic: list[Any] = []
    for position, value in enumerate(args):
        name = parameter_names[position]
        if position in static_positions:
            statics[name] = StaticValue(value, value_text(value))
        else:
            names.append(name)
            dynamic.append(value)
    keywords: dict[str, Any] = {}
    for name in sorted(kwargs):
        if name in static_names:
            statics[name] = StaticValue(kwargs[name], value_text(kwargs[name]))
        else:
            names.append(name)
            keywords[name] = kwargs[name]
    values, treedef = flatten((tuple(dynamic), keywords))
    layouts = len(values) <= LAYOUTS_UP_TO
    return Key(
        positional=count,
        keywords=tuple(sorted(kwargs)),
        statics=statics,
        names=tuple(names),
        treedef=treedef,
        leaves=tuple(leaf_of(value, layouts) for value in values),
        context=context,
        context_names=context_names,
        options=options,
    )


def _positional_names(signature: inspect.Signature | None, count: int) -> list[str]:
    """A name for each positional argument: the parameter's, args[0] for a variadic one, else argument 0."""
    names: list[str] = []
    if signature is not None:
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                first = len(names)
                names.extend(f"{parameter.name}[{n - first}]" for n in range(first, count))
                break
            if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
                break
            names.append(parameter.name)
    names.extend(f"argument {n}" for n in range(len(names), count))
    return names[:count]
