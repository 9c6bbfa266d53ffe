"""Makes the texts of a cache key: its signature, the path of each leaf, the names of the positional arguments."""

from __future__ import annotations

import inspect
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, Limit, exact, kind_name, text_of
from ...quantities import count
from ..reprs_of_users_values import Reading
from .static_fields_of_pytrees import nnx_variables, static_fields
from .types_and_layouts_of_key import Key


def signature_text(key: Key, reading: Reading) -> str:
    """Return the argument types, static values and static fields of a key, such as x: f32[10], n=3, c.mode='fast'."""
    leaves = [
        f"{path}: {leaf.describe()}{' weak' * leaf.weak}"
        for path, leaf in zip(paths(key, reading), key.leaves, strict=True)
    ]
    if len(leaves) > 12:
        leaves = [*leaves[:10], f"and {len(leaves) - 10} more"]
    statics = [f"{name}={value.text}" for name, value in key.statics.items()]
    fields = [f"{path}={text}" for path, text in static_fields_of(key, reading)]
    if len(fields) > _FIELDS:
        fields = [*fields[:_FIELDS], f"and {count(len(fields) - _FIELDS, 'more static field', 'more static fields')}"]
    return ", ".join([*leaves, *statics, *fields])


#: The most static fields of a call that are named; further static fields are only counted.
_FIELDS = 6


def static_fields_of(key: Key, reading: Reading) -> list[tuple[str, str]]:
    """Return (path, text) for each static field inside the arguments of a call."""
    sides = key.treedef.children()
    if len(sides) != 2:
        return []
    positional, keyword = sides
    node = keyword.node_data()
    names = [*key.names[: len(positional.children())], *map(exact, node[1] if node else ())]
    trees = [*positional.children(), *keyword.children()]
    if len(names) != len(trees):
        return []
    return [field for name, tree in zip(names, trees, strict=True) for field in static_fields(name, tree, reading)]


def paths(key: Key, reading: Reading) -> list[str]:
    """Return the path of each leaf, such as p['w'].

    A path starts with the parameter name, whether the argument was passed by position or by keyword.
    """
    from jax.tree_util import tree_flatten_with_path, tree_unflatten

    dynamic_positional = len(key.names) - sum(name not in key.statics for name in key.keywords)
    texts: list[str] = []
    try:
        tree = tree_unflatten(key.treedef, list(range(len(key.leaves))))
        with_paths, _ = tree_flatten_with_path(tree)
    except not_of_a_signal(*FAILURES):  # a user's pytree class may refuse integers as leaves: the leaves get numbers
        return [f"leaf {n}" for n in range(len(key.leaves))]
    for path, _ in with_paths:
        side, place, *inner = path
        if getattr(side, "idx", 0) == 0:
            name = key.names[place.idx] if place.idx < dynamic_positional else f"argument {place.idx}"
        else:
            name = exact(place.key)
        texts.append(exact(name + "".join(step_text(step, reading) for step in inner), Limit.PATH) if inner else name)
    if len(texts) != len(key.leaves):
        return [f"leaf {n}" for n in range(len(key.leaves))]
    for first, variables in nnx_variables(key.treedef, reading):
        for number, variable in enumerate(variables):
            at = first + number
            texts[at] = exact(texts[at].removesuffix(f".states[0][{number}]") + variable, Limit.PATH)
    return texts


def step_text(step: Any, reading: Reading) -> str:
    """Return one part of a pytree path as JAX prints it, such as ['w'] or .weight."""
    kind = kind_name(type(step))
    if kind == "DictKey":
        return f"[{reading.text(step.key, Limit.NAME)}]"
    if kind == "SequenceKey":
        return f"[{step.idx}]"
    return text_of(step)


def positional_names(signature: inspect.Signature | None, count: int) -> list[str]:
    """Return a name for each of `count` positional arguments: the parameter's name, or args[0] for `*args`."""
    names: list[str] = []
    for parameter in signature.parameters.values() if signature is not None else ():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names.extend(f"{exact(parameter.name)}[{i}]" for i in range(count - len(names)))
            break
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            break
        names.append(exact(parameter.name))
    names.extend(f"argument {i}" for i in range(len(names), count))
    return names[:count]
