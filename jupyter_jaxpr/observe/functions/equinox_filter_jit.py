"""Reads a call of `equinox.filter_jit`: equinox's frame, the user's function and the names of its arguments."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

from ...plain_text import exact, file_of
from ..cache.key_texts import positional_names
from ..observation import ArgumentSpec
from ..reprs_of_users_values import Reading

if TYPE_CHECKING:
    pass


_EQUINOX_JIT = os.path.join("equinox", "_jit.py")


def equinox_wrapper(frame: FrameType) -> Any:
    """Return the `filter_jit` object whose call missed in JAX's frame `frame`.

    Return None if no `filter_jit` object made the call.
    """
    caller = equinox_frame(frame)
    return None if caller is None else caller.f_locals.get("jit_wrapper")


def equinox_frame(frame: FrameType) -> FrameType | None:
    """Return equinox's frame that has the `filter_jit` object and the user's `args` and `kwargs` as local variables."""
    caller: FrameType | None = frame
    for _ in range(4):
        caller = caller.f_back if caller is not None else None
        if caller is not None and file_of(caller.f_code).endswith(_EQUINOX_JIT):
            return caller
    return None


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
