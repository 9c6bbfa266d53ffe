"""The types of a call in, its arguments by name out: trees of `jax.ShapeDtypeStruct`, static values as text."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .keys import value_text
from .observation import ArgumentSpec


@dataclass(frozen=True)
class CallShape:
    """How a call was written, without its values: enough to name its arguments later."""

    names: tuple[tuple[str, bool], ...]  # (parameter, static) of each positional argument
    statics: Mapping[str, str] = field(default_factory=dict)
    signature: inspect.Signature | None = None


def shape_of(options: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> CallShape:
    """Take the shape of a call from JAX's record of its jit and from what it was given."""
    signature = getattr(options, "fun_signature", None)
    count = len(args)
    static_positions = {n + count if n < 0 else n for n in getattr(options, "static_argnums", ()) or ()}
    static_names = set(getattr(options, "static_argnames", ()) or ())
    names = tuple(
        (name, position in static_positions) for position, name in enumerate(positional_names(signature, count))
    )
    statics = {name: value_text(args[i]) for i, (name, static) in enumerate(names) if static}
    statics.update((name, value_text(value)) for name, value in kwargs.items() if name in static_names)
    return CallShape(names, statics, signature)


def positional_names(signature: inspect.Signature | None, count: int) -> list[str]:
    """A name for each of `count` positional arguments: the parameter's, args[0] for a variadic one."""
    names: list[str] = []
    for parameter in signature.parameters.values() if signature is not None else ():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names.extend(f"{parameter.name}[{i}]" for i in range(count - len(names)))
            break
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            break
        names.append(parameter.name)
    names.extend(f"argument {i}" for i in range(len(names), count))
    return names[:count]


def arguments_of(
    shape: CallShape, in_tree: Any, avals: Sequence[Any], donated: Sequence[bool]
) -> tuple[ArgumentSpec, ...]:
    """The arguments of a call in the order it was written: positional ones, then keywords.

    Args:
      shape: how it was written.
      in_tree: structure of its dynamic part, ((positional, ...), {keyword: ...}).
      avals: types of the leaves of that part.
      donated: for each of those leaves, whether its buffer was given away.
    """
    positional, keywords = in_tree.unflatten([spec_of(aval) for aval in avals])
    donations_of, keyword_donations = in_tree.unflatten(list(donated))
    specs: list[ArgumentSpec] = []
    dynamic = iter(zip(positional, donations_of, strict=True))
    for name, static in shape.names:
        if static:
            specs.append(ArgumentSpec(name, static=shape.statics[name]))
        else:
            tree, donations = next(dynamic)
            specs.append(ArgumentSpec(name, tree=tree, donated=_all(donations)))
    for name in shape.statics:
        if not any(name == known for known, _ in shape.names):
            specs.append(ArgumentSpec(name, static=shape.statics[name]))
    for name, tree in keywords.items():
        specs.append(ArgumentSpec(name, tree=tree, donated=_all(keyword_donations[name])))
    return tuple(specs)


def equinox_arguments(arguments: tuple[ArgumentSpec, ...], signature: inspect.Signature) -> tuple[ArgumentSpec, ...]:
    """Put the arguments of an `equinox.filter_jit` call, which equinox regroups, under the user's names.

    Equinox passes dictionaries with the dynamic leaves of the function, of the first argument and of the rest.
    """
    groups: dict[str, tuple[Any, bool]] = {}
    for argument in arguments:
        if isinstance(argument.tree, dict):
            groups.update((name, (tree, argument.donated)) for name, tree in argument.tree.items())
    values = [(groups["first"][0], groups["first"][1])]
    rest, donated = groups["rest"]
    rest_args, keywords = rest
    values.extend((tree, donated) for tree in rest_args)
    names = positional_names(signature, len(values) - 1)  # the last value is equinox's own dummy
    specs = [ArgumentSpec(name, tree=tree, donated=gone) for name, (tree, gone) in zip(names, values, strict=False)]
    specs.extend(ArgumentSpec(name, tree=tree, donated=donated) for name, tree in keywords.items())
    return tuple(specs)


def result_of(out_tree: Any, avals: Sequence[Any]) -> Any:
    """The tree of a result."""
    return out_tree.unflatten([spec_of(aval) for aval in avals])


def spec_of(aval: Any) -> Any:
    """An aval as a `jax.ShapeDtypeStruct`; itself where it has no shape (tokens, a library's own types)."""
    import jax

    if isinstance(aval, jax.ShapeDtypeStruct) or not hasattr(aval, "shape") or not hasattr(aval, "dtype"):
        return aval
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=bool(getattr(aval, "weak_type", False)))


def _all(donations: Any) -> bool:
    import jax

    leaves = jax.tree_util.tree_leaves(donations)
    return bool(leaves) and all(leaves)
