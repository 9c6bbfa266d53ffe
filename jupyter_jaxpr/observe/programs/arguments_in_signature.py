"""Names the arguments of a call: arrays as trees of `jax.ShapeDtypeStruct`, static values as their repr."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...plain_text import exact
from ..cache.key_of_call import by_name, static_places
from ..cache.key_texts import positional_names
from ..cache.types_and_layouts_of_key import Key
from ..observation import ArgumentSpec
from ..value_texts import Reading


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


@dataclass(frozen=True)
class EquinoxCall:
    """The arguments of a call of `equinox.filter_jit`.

    Equinox passes these arguments to its inner jit as flat tuples of leaves.

    Attributes:
        trees: group of arguments -> (pytree structure of the group, reprs of its leaves); for an array, the repr is
            None.
    """

    signature: inspect.Signature
    trees: Mapping[str, tuple[Any, tuple[str | None, ...]]]


def equinox_call(wrapper: Any, args: Sequence[Any], reading: Reading) -> EquinoxCall | None:
    """Return the structures of the arguments that equinox passed to its inner jit; None for a call without equinox."""
    if wrapper is None or len(args) != 3:
        return None
    _, first, rest = args[2]
    trees = {}
    for name, (leaves, tree) in (("first", first), ("rest", rest)):
        # Equinox puts None in place of each leaf that is an array.
        trees[name] = (tree, tuple(None if leaf is None else reading.text(leaf) for leaf in leaves))
    return EquinoxCall(wrapper._signature, trees)


def equinox_arguments(arguments: tuple[ArgumentSpec, ...], call: EquinoxCall) -> tuple[ArgumentSpec, ...]:
    """Return the arguments of a `filter_jit` call by the parameter names of the user's function."""
    groups = {
        name: (leaves, argument.donated)
        for argument in arguments
        if isinstance(argument.tree, dict)
        for name, leaves in argument.tree.items()
    }
    first, donated_first = _equinox_tree("first", groups, call)
    (other_values, keywords), donated_rest = _equinox_tree("rest", groups, call)
    values = [(first, donated_first), *((value, donated_rest) for value in other_values)]
    # `filter_jit` adds None as the last value, which is no argument
    names = positional_names(call.signature, len(values) - 1)
    specs = [_equinox_spec(name, value, donated) for name, (value, donated) in zip(names, values, strict=False)]
    specs.extend(_equinox_spec(exact(name), value, donated_rest) for name, value in keywords.items())
    return tuple(specs)


def _equinox_tree(name: str, groups: Mapping[str, tuple[Any, bool]], call: EquinoxCall) -> tuple[Any, bool]:
    tree, statics = call.trees[name]
    leaves, donated = groups[name]
    return tree.unflatten(
        [
            leaf if leaf is not None or static is None else _Static(static)
            for leaf, static in zip(leaves, statics, strict=True)
        ]
    ), donated


@dataclass(frozen=True)
class _Static:
    """Stands for a static leaf in a tree of arguments, and keeps only the repr of the leaf."""

    text: str


def _equinox_spec(name: str, value: Any, donated: bool) -> ArgumentSpec:
    import jax

    if isinstance(value, _Static):
        return ArgumentSpec(name, static=value.text)
    arrays = jax.tree_util.tree_map(lambda leaf: None if isinstance(leaf, _Static) else leaf, value)
    return ArgumentSpec(name, tree=arrays, donated=donated)


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
