"""Finds the earlier cache key that is closest to the key of a miss, and the differences between the two keys.

`Distance` orders the earlier keys; among equally close keys, the latest one is chosen. Each difference becomes one
`Reason`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..reprs_of_users_values import Reading
from .argument_reasons import call_style, dynamic_differences, passed_differently, static_differences
from .key_texts import paths
from .leaf_reasons import kinds_of_types, leaf_differences
from .reason import Reason, ReasonKind
from .setting_reasons import meshes_changed, setting_reasons
from .static_fields_of_pytrees import is_same
from .types_and_layouts_of_key import Key, Leaf

MOST_COMPARED = 128
"""The number of newest earlier keys with which a key is compared."""

_ORDER: dict[ReasonKind, int] = {
    "argument_type": 0,
    "sharding": 1,
    "layout": 1,
    "committed": 2,
    "dtype": 3,
    "shape": 3,
    "weak_type": 4,
    "pytree": 5,
    "static_value": 6,
    "static_identity": 7,
    "call_style": 8,
    "config": 9,
}
"""The rank of each kind of difference, from those of the function and the types of arguments to those of settings.

Of two earlier calls with equally many differences, the call whose difference comes later in this order is closer.
"""

Kinds = tuple[ReasonKind, ...]


class Difference(NamedTuple):
    """The differences between a call and one earlier call.

    Attributes:
        kinds: for each argument, pytree structure, static value or setting that differs: the kinds of its differences.
    """

    reasons: tuple[Reason, ...]
    kinds: tuple[Kinds, ...]

    @property
    def compiles(self) -> bool:
        """True if these differences make JAX compile; False if JAX's Python only has to find the executable."""
        return _compile(self.kinds)


class Distance(NamedTuple):
    """The distance between two calls; its fields are in the order in which distances are compared.

    Attributes:
        compiles: true if the differences make JAX compile.
        differing: the number of arguments, static values and settings that differ.
        of_structure: the number of differences in a pytree structure.
        kinds: the kinds of difference of each argument, added up: an array with another shape and dtype counts as two.
        holders: the number of arguments whose type is the same and whose class differs, such as a NumPy array and a
            jax.Array; JAX does not compile because of the class.
        order: the index in `_ORDER` of each kind of difference, as a negative number, sorted.
    """

    compiles: bool
    differing: int
    of_structure: int
    kinds: int
    holders: int
    order: list[int]

    @classmethod
    def of(cls, kinds: Sequence[Kinds]) -> Distance:
        """Return the distance between two calls; `kinds` has the kinds of each of their differences."""
        compiling = [group for group in kinds if group != _HOLDER]
        flat = [kind for group in compiling for kind in group]
        return cls(
            _compile(kinds),
            len(compiling),
            flat.count("pytree"),
            len(flat),
            len(kinds) - len(compiling),
            sorted(-_ORDER[kind] for kind in flat),
        )


_HOLDER: Kinds = ("argument_type",)


def _compile(kinds: Sequence[Kinds]) -> bool:
    """Return whether the differences make JAX compile.

    JAX does not compile if the type of an argument is the same and only its class differs, such as a NumPy array in
    place of a jax.Array.
    """
    return any(group != _HOLDER for group in kinds)


def closest(key: Key, earlier: Sequence[Key], reading: Reading) -> Difference:
    """Return the differences between a call and the closest earlier call.

    If JAX can use the executable of an earlier call for this call, that earlier call is the closest.

    Args:
        key: The key of the call.
        earlier: The keys of the earlier calls, oldest first; at least one.
        reading: Says which methods of the user's objects may be called.
    """
    leaves = _by_path(key, reading)
    best: tuple[Distance, Key, Difference | None] | None = None
    for old in reversed(earlier):
        candidate = None
        # `kinds_of_values` is fast: a function may have hundreds of keys (one for each shape), and `_difference` would
        # take too long for each of them
        kinds = kinds_of_values(old, key)
        if kinds is None:
            candidate = _difference(old, key, leaves, reading)
            kinds = candidate.kinds
        if not kinds:
            return candidate or Difference((), ())
        distance = Distance.of(kinds)
        if best is None or distance < best[0]:
            best = distance, old, candidate
    assert best is not None
    _, old, candidate = best
    return candidate or _difference(old, key, leaves, reading)


def kinds_of_values(old: Key, new: Key) -> tuple[Kinds, ...] | None:
    """Return the kinds of the differences, if two keys differ only in static values and in types of leaves; else None.

    This function is much faster than `difference`.
    """
    if (old.positional, old.keywords) != (new.positional, new.keywords):
        return None
    if tuple(old.names) != tuple(new.names) or old.statics.keys() != new.statics.keys():
        return None
    if len(old.context) != len(new.context) or not all(map(operator.is_, old.context, new.context)):
        return None
    if old.treedef is not new.treedef and not (is_same(old.treedef, new.treedef) and old.classes == new.classes):
        return None
    kinds: list[Kinds] = [(reason.kind,) for reason in static_differences(old, new)] if new.statics else []
    for before, after in zip(old.leaves, new.leaves, strict=True):
        if before is after:
            continue
        if before.aval is None or after.aval is None or before.holder != after.holder:
            return None
        if before.committed != after.committed or not is_same(before.sharding, after.sharding):
            return None
        of_leaf = kinds_of_types(before, after)
        if not of_leaf and before.layout != after.layout:
            return None
        if of_leaf:
            kinds.append(tuple(of_leaf))
    return tuple(kinds)


def compare(old: Key, new: Key, reading: Reading) -> tuple[Reason, ...]:
    """Return a reason for each difference between two keys, the most important kind first."""
    return difference(old, new, reading).reasons


def difference(old: Key, new: Key, reading: Reading) -> Difference:
    """Return the differences between two calls of one function."""
    return _difference(old, new, _by_path(new, reading), reading)


def _difference(old: Key, new: Key, new_leaves: Mapping[str, Leaf], reading: Reading) -> Difference:
    old_leaves = _by_path(old, reading)
    reasons = list(static_differences(old, new))
    kinds: list[Kinds] = [(reason.kind,) for reason in reasons]
    for number, reason in dynamic_differences(old, new, old_leaves, new_leaves, reading):
        reasons.append(reason)
        kinds.append((reason.kind,) * number)
    for path, after in new_leaves.items():
        before = old_leaves.get(path)
        if before is not None and before is not after:
            for of_leaf, reason in leaf_differences(path, before, after):
                kinds.append(tuple(of_leaf))
                reasons.append(reason)
    style = call_style(old, new, reasons)
    if style is not None:
        reasons.append(style)
        kinds.append((style.kind,) * max(passed_differently(old, new), 1))
    settings = list(setting_reasons(old, new))
    if any(setting.argument == "jax_enable_x64" for setting in settings):
        # If jax_enable_x64 was switched, the same number or NumPy array has another dtype, so converting the argument
        # is no cure.
        reasons = [replace(reason, cure=None) if reason.kind == "dtype" else reason for reason in reasons]
    for setting in settings:
        number = meshes_changed(old, new) if setting.argument == "mesh" else 1
        kinds.append((setting.kind,) * max(number, 1))
    # JAX compiled because of the other differences; a NumPy array in place of a jax.Array did not cause the compile
    if _compile(kinds):
        reasons = [reason for reason in reasons if reason.kind != "argument_type"]
    return Difference((*reasons, *settings), tuple(kinds))


def _by_path(key: Key, reading: Reading) -> dict[str, Leaf]:
    """Return {path: leaf} for the leaves of a key; a path is the source code of a leaf, such as p['w'].

    The path does not depend on whether the argument is passed by position or by keyword.
    """
    return dict(zip(paths(key, reading), key.leaves, strict=True))
