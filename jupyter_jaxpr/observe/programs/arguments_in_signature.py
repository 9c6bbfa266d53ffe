"""Names the arguments of a call: arrays as trees of `jax.ShapeDtypeStruct`, static values as their repr."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...plain_text import exact
from ..cache.key_texts import positional_names
from ..cache.static_argument_places import by_name, static_places
from ..cache.types_and_layouts_of_key import Key
from ..observation import ArgumentSpec
from ..reprs_of_users_values import Reading


@dataclass(frozen=True)
class CallShape:
    """The parameter names of a call and the text of its static arguments, without the arrays.

    Attributes:
        names: for each positional argument: (name of its parameter, True if the argument is static).
        fixed: parameter name -> repr of an argument without any input of the program; filled by own traces and by
            recordings.
    """

    names: tuple[tuple[str, bool], ...]
    statics: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)


def shape_of(
    options: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    key: Key | None = None,
    reading: Reading | None = None,
) -> CallShape:
    """Return the parameter names of a call, and the repr of each static argument.

    Args:
        options: JAX's record of the `jax.jit` arguments.
        args: Positional arguments.
        kwargs: Keyword arguments.
        key: The cache key of the call, which has the reprs of the static values; with None the reprs are made anew.
        reading: Says whether the `__repr__` of a static value may be called; None allows each `__repr__`, as for a
            call that the user asked about.
    """
    signature = getattr(options, "fun_signature", None)
    static_positions, static_names = static_places(options, len(args))
    names = tuple(
        (name, position in static_positions) for position, name in enumerate(positional_names(signature, len(args)))
    )
    texts = {} if key is None else {name: value.text for name, value in key.statics.items()}
    statics = {name: args[i] for i, (name, static) in enumerate(names) if static}
    statics.update((name, value) for name, value in by_name(kwargs).items() if name in static_names)
    read = reading or Reading()
    return CallShape(names, {name: texts.get(name) or read.text(value) for name, value in statics.items()})


def plain_shape(key: Key) -> CallShape:
    """Return the parameter names of a call that has no static arguments, from the cache key of the call."""
    return CallShape(tuple((name, False) for name in key.names[: key.positional]))


def arguments_of(
    shape: CallShape, in_tree: Any, avals: Sequence[Any], donated: Sequence[bool]
) -> tuple[ArgumentSpec, ...]:
    """Return the arguments of a call in the order in which the call passes them: positional, then keyword arguments.

    Args:
      shape: the parameter names and the static arguments of the call.
      in_tree: the structure of the dynamic arguments, ((positional, ...), {keyword: ...}).
      avals: the types of the dynamic leaves.
      donated: for each dynamic leaf, whether the call donates the leaf.
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
        if not any(name == known_name for known_name, _ in shape.names):
            specs.append(ArgumentSpec(name, static=shape.statics[name]))
    for name, tree in keywords.items():
        specs.append(ArgumentSpec(exact(name), tree=tree, donated=_all(keyword_donations[name])))
    return tuple(
        ArgumentSpec(spec.name, static=shape.fixed[spec.name]) if spec.name in shape.fixed else spec for spec in specs
    )


def fixed_arguments(
    shape: CallShape,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    is_input: Callable[[Any], bool],
    reading: Reading,
) -> dict[str, str]:
    """Return the repr of each argument that has leaves, but no leaf that is an input of the program.

    The result is {parameter name: repr}. Such an argument is a function or an axis, for example.
    """
    import jax

    named = [*zip((name for name, _ in shape.names), args, strict=True), *kwargs.items()]
    return {
        name: reading.text(value)
        for name, value in named
        if (leaves := jax.tree_util.tree_leaves(value)) and not any(is_input(leaf) for leaf in leaves)
    }


def arrays_only(
    args: tuple[Any, ...], kwargs: dict[str, Any], is_input: Callable[[Any], bool]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return (args, kwargs) with None in place of each leaf that is no input of the program."""
    import jax

    arrays: tuple[tuple[Any, ...], dict[str, Any]] = jax.tree_util.tree_map(
        lambda leaf: leaf if is_input(leaf) else None, (args, kwargs)
    )
    return arrays


def result_of(out_tree: Any, avals: Sequence[Any]) -> Any:
    """Return the tree of a result, with a `jax.ShapeDtypeStruct` for each leaf."""
    return out_tree.unflatten([spec_of(aval) for aval in avals])


def spec_of(aval: Any) -> Any:
    """Return the `jax.ShapeDtypeStruct` of an aval; an aval without a shape, such as a token, is returned unchanged."""
    import jax

    if isinstance(aval, jax.ShapeDtypeStruct) or not hasattr(aval, "shape") or not hasattr(aval, "dtype"):
        return aval
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=bool(getattr(aval, "weak_type", False)))


def _all(donations: Any) -> bool:
    import jax

    leaves = jax.tree_util.tree_leaves(donations)
    return bool(leaves) and all(leaves)
