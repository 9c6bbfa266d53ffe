"""Keeps what is needed to repeat a call: function, argument structure, static values. No array is kept alive.

The arrays are in the `CallValues` of the program. With the arrays, the call can be repeated, either with the user's
jitted function or with the function without jit.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...jax.facts import jitted_of
from ..cache.key_texts import positional_names
from ..cache.static_argument_places import static_places
from ..cache.static_values import UNKNOWN, StaticValue
from ..cache.types_and_layouts_of_key import Key

Given = tuple[tuple[Any, ...], dict[str, Any]]


class HeldCall:
    """A call that can be repeated, of a function that is jitted or can be jitted.

    Args:
        fun: The function without jit.
        args: The positional arguments of the call.
        kwargs: The keyword arguments of the call.
        options: JAX's record of the `jax.jit` arguments; None for a function that is not jitted.
        jitted: A jitted copy of a function that is not jitted; the copy expects None in place of untraced leaves.
        is_traced: Decides whether a leaf is an input of the program.
    """

    __slots__ = ("_fun", "_jitted", "_keywords", "_positions", "_slots", "_tree", "options")

    def __init__(
        self,
        fun: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        *,
        options: Any = None,
        jitted: Any = None,
        is_traced: Callable[[Any], bool] | None = None,
    ) -> None:
        import jax

        self.options = options
        self._jitted = jitted
        self._fun = _reference(fun)
        self._slots: list[StaticValue | None]
        # (position, value) of the static positional arguments, sorted by position; `_tree` does not contain these
        # arguments
        self._positions: list[tuple[int, StaticValue]] = []
        self._keywords: dict[str, StaticValue] = {}
        boxed = (
            _boxed_leaves(args, kwargs, is_traced or is_array)
            if options is None
            else _boxed_statics(options, args, kwargs)
        )
        leaves, self._tree = jax.tree_util.tree_flatten(boxed)
        self._slots = [leaf if type(leaf) is StaticValue else None for leaf in leaves]

    @classmethod
    def plain(cls, fun: Any, options: Any, tree: Any, count: int) -> HeldCall:
        """Return the record of a call without static arguments, for a later repetition.

        `count` is the number of leaves in `tree`.
        """
        call = cls.__new__(cls)
        call.options, call._jitted, call._fun = options, None, _reference(fun)
        call._tree, call._slots = tree, [None] * count
        call._positions, call._keywords = [], {}
        return call

    @classmethod
    def with_statics(cls, fun: Any, options: Any, key: Key, count: int) -> HeldCall:
        """Return the record of a call with `count` positional arguments and the static values of `key`."""
        call = cls.__new__(cls)
        call.options, call._jitted, call._fun = options, None, _reference(fun)
        call._tree, call._slots = key.treedef, [None] * key.count
        positions, _ = static_places(options, count)
        by_position = dict(enumerate(positional_names(getattr(options, "fun_signature", None), count)))
        call._positions = [(place, key.statics[by_position[place]]) for place in sorted(positions & set(by_position))]
        by_place = {by_position[place] for place, _ in call._positions}
        call._keywords = {name: value for name, value in key.statics.items() if name not in by_place}
        return call

    @property
    def fun(self) -> Any:
        """The function without jit; None if it was deleted."""
        return self._fun()

    @property
    def has_statics(self) -> bool:
        """True if an argument of the call is static."""
        return bool(self._positions or self._keywords) or any(slot is not None for slot in self._slots)

    def leaves(self) -> tuple[int, int]:
        """(number of dynamic leaves in the positional arguments, number of dynamic leaves in the keyword arguments)."""
        import jax

        args, kwargs = jax.tree_util.tree_unflatten(self._tree, [slot is None for slot in self._slots])
        return sum(jax.tree_util.tree_leaves(args)), sum(jax.tree_util.tree_leaves(kwargs))

    def jitted(self) -> Any:
        """Return the jitted function; None if it was deleted.

        The function is found by a search through all objects that refer to it, which takes milliseconds.
        """
        if self._jitted is not None:
            return self._jitted
        fun = self.fun
        return None if fun is None else jitted_of(fun, self.options)

    def arguments(self, leaves: Sequence[Any], *, jitted: bool = False) -> Given | None:
        """Return (positional arguments, keyword arguments) to repeat the call.

        Args:
            leaves: The values of the dynamic leaves, in the order of the program's inputs.
            jitted: True if the arguments are for the function that the method `jitted` returns.

        Returns:
            The arguments; None if a static value was deleted, or if `leaves` has too few values for the call.
        """
        import jax

        if len(leaves) < sum(slot is None for slot in self._slots):
            return None
        remaining = iter(leaves[len(leaves) - sum(slot is None for slot in self._slots) :])
        left_out = jitted and self._jitted is not None
        all_leaves = []
        for slot in self._slots:
            value = next(remaining) if slot is None else None if left_out else slot.value
            if value is UNKNOWN:
                return None
            all_leaves.append(value)
        args, kwargs = jax.tree_util.tree_unflatten(self._tree, all_leaves)
        if not self._positions and not self._keywords:
            return args, kwargs
        statics = [static.value for _, static in self._positions] + [static.value for static in self._keywords.values()]
        if any(value is UNKNOWN for value in statics):
            return None
        args = list(args)
        for place, static in self._positions:
            args.insert(place, static.value)
        return tuple(args), {**kwargs, **{name: static.value for name, static in self._keywords.items()}}


def _reference(fun: Any) -> Any:
    try:
        return weakref.ref(fun)
    # the function is kept alive: an object that allows no weak reference has no closure that could hold the program
    except TypeError:
        return lambda: fun


def _boxed_statics(options: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Given:
    """Return the arguments; each static value is in a `StaticValue`, which JAX treats as a leaf."""
    count = len(args)
    positions = {n + count if n < 0 else n for n in getattr(options, "static_argnums", ()) or ()}
    names = set(getattr(options, "static_argnames", ()) or ())
    return (
        tuple(StaticValue(arg) if place in positions else arg for place, arg in enumerate(args)),
        {name: StaticValue(arg) if name in names else arg for name, arg in kwargs.items()},
    )


def _boxed_leaves(args: Sequence[Any], kwargs: Mapping[str, Any], is_traced: Callable[[Any], bool]) -> Given:
    """Return the arguments; each leaf that JAX does not trace is in a `StaticValue`, which JAX treats as a leaf."""
    import jax

    boxed: Given = jax.tree_util.tree_map(
        lambda leaf: leaf if is_traced(leaf) else StaticValue(leaf), (tuple(args), dict(kwargs))
    )
    return boxed


def is_array(leaf: Any) -> bool:
    """Return whether JAX can trace a leaf."""
    import jax

    if isinstance(leaf, jax.ShapeDtypeStruct | jax.Array | bool | int | float | complex):
        return True
    try:
        jax.typeof(leaf)
    except TypeError:
        return False
    return True
