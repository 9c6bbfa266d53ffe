"""Reads the arguments of a call from its cache key, as types, and compares the cache keys of two calls."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...observe.cache.static_fields_of_pytrees import is_same
from ...observe.cache.static_values import UNKNOWN, is_plain
from ...observe.cache.types_and_layouts_of_key import Key, Leaf
from ..traced_result_types import Fixed, spec_of_aval

_NUMBERS: Mapping[str, Any] = {"bool": False, "int": 0, "float": 0.0, "complex": 0j}


class Arguments(NamedTuple):
    """The arguments of a call, with types in place of arrays.

    Attributes:
        args: The positional arguments: a type in place of each array, a Python number for each Python number.
        kwargs: The keyword arguments, in the same form.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def arguments_of(key: Key, fun: Any) -> Arguments | None:
    """Return the arguments of the call that had a cache key. None if a static value no longer exists."""
    import jax

    if any(leaf.aval is None or leaf.holder == "tracer" for leaf in key.leaves) or key.function is not None:
        return None
    statics = {name: value.value for name, value in key.statics.items()}
    if any(value is UNKNOWN for value in statics.values()):
        return None
    dynamic, named = jax.tree_util.tree_unflatten(key.treedef, [_value(leaf) for leaf in key.leaves])
    fixed = {name: Fixed(value) for name, value in statics.items()}
    args = list(dynamic)
    order = list(inspect.signature(fun).parameters) if fixed else []
    for name in sorted((name for name in fixed if name not in key.keywords), key=order.index):
        args.insert(order.index(name), fixed[name])
    return Arguments(tuple(args), {**named, **{name: fixed[name] for name in fixed if name in key.keywords}})


def _value(leaf: Leaf) -> Any:
    number = _NUMBERS.get(leaf.holder)
    return spec_of_aval(leaf.aval) if number is None else number


def bound(fun: Any, arguments: Arguments) -> dict[str, Any] | None:
    """Return the arguments by parameter name.

    None for a function with `*args`, `**kwargs` or positional-only parameters.
    """
    try:
        signature = inspect.signature(fun)
        values = signature.bind(*arguments.args, **arguments.kwargs).arguments
    except not_of_a_signal(TypeError, ValueError):
        return None
    allowed = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return dict(values) if all(signature.parameters[name].kind in allowed for name in values) else None


def as_specs(value: Any) -> Any:
    """Return a pytree whose arrays and Python numbers are replaced by the types with which JAX traces them."""
    import jax

    def spec(leaf: Any) -> Any:
        if type(leaf) in (Fixed, jax.ShapeDtypeStruct):
            return leaf
        return spec_of_aval(jax.typeof(leaf))

    return jax.tree_util.tree_map(spec, value)


def have_one_key(first: Arguments, second: Arguments) -> bool:
    """Return whether two calls of a jitted function with these arguments have equal cache keys.

    Devices are not compared.
    """
    import jax

    if len(first.args) != len(second.args) or first.kwargs.keys() != second.kwargs.keys():
        return False
    leaves, tree = jax.tree_util.tree_flatten((first.args, first.kwargs))
    second_leaves, second_tree = jax.tree_util.tree_flatten((second.args, second.kwargs))
    return is_same(tree, second_tree) and all(map(_is_one, leaves, second_leaves))


def _is_one(first: Any, second: Any) -> bool:
    if type(first) is Fixed or type(second) is Fixed:
        return type(first) is type(second) and _is_one_value(first.value, second.value)
    first_spec, second_spec = as_specs(first), as_specs(second)
    return bool(
        (first_spec.shape, first_spec.dtype, first_spec.weak_type)
        == (second_spec.shape, second_spec.dtype, second_spec.weak_type)
    )


def _is_one_value(first: Any, second: Any) -> bool:
    """Return whether two static values are certainly equal, without calling an `__eq__` of the user's."""
    return first is second or (
        type(first) is type(second) and is_plain(first) and is_plain(second) and bool(first == second)
    )
