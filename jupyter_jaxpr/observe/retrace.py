"""Makes the offer to trace a plain call, which the panel shows as a button.

The offer holds no array: arrays are kept as their types, and all other objects by weak references.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .arguments import spec_of
from .observation import Place
from .side_effects.callables import is_array_of_jax
from .side_effects.effect import SideEffect
from .side_effects.guard import place_text

_AGAIN = (
    "The trace runs the Python of {call} once more, with tracers in place of arrays. Afterwards jupyter_jaxpr restores "
    "the Python objects that the call changes."
)
_ALL_THE_SAME = (
    "The trace runs the Python of {call} once more, with tracers in place of arrays. {place} {what}. This effect "
    "happens once more and cannot be undone."
)


class CallGone(Exception):
    """The function or an argument of the call is no longer there."""


class HeldCallForTrace:
    """A call that can be traced later, as long as its function and its arguments are there.

    Args:
        fun: What was called.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
    """

    def __init__(self, fun: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        import jax

        self._fun = _reference(fun)
        leaves, self._tree = jax.tree_util.tree_flatten((tuple(args), dict(kwargs)))
        self._leaves = [_held(leaf) for leaf in leaves]

    def call(self) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """The function and its arguments, with types in place of arrays.

        Raises:
            CallGone: One of them is no longer there.
        """
        import jax

        fun = self._fun()
        leaves = [leaf() for leaf in self._leaves]
        if fun is _GONE or any(leaf is _GONE for leaf in leaves):
            raise CallGone
        args, kwargs = jax.tree_util.tree_unflatten(self._tree, leaves)
        return fun, args, kwargs


@dataclass(frozen=True)
class Retrace:
    """An offer to trace a call whose Python may change something outside of it.

    Attributes:
        name: Of the function.
        text: The call as the cell has it.
        effect: The line that decided that the call is not traced by itself.
        call: What to trace.
        at: Where the call is written.
    """

    name: str
    text: str
    effect: SideEffect
    call: HeldCallForTrace
    at: Place

    @property
    def allows_effects(self) -> bool:
        """Whether the trace does again what cannot be undone."""
        return self.effect.kind == "outside"

    @property
    def question(self) -> str:
        """What happens when the button is pressed: sentences."""
        if not self.allows_effects:
            return _AGAIN.format(call=self.text)
        return _ALL_THE_SAME.format(call=self.text, place=place_text(self.effect, self.at.file), what=self.effect.text)


def deciding(effects: Sequence[SideEffect]) -> SideEffect:
    """The effect to name: one that cannot be undone before one that can."""
    return next((effect for effect in effects if effect.kind == "outside"), effects[0])


def _held(leaf: Any) -> Callable[[], Any]:
    import jax
    import numpy as np

    if is_array_of_jax(leaf) or isinstance(leaf, np.ndarray | np.generic):
        try:
            spec = leaf if isinstance(leaf, jax.ShapeDtypeStruct) else spec_of(jax.typeof(leaf))
        except TypeError:  # NumPy's arrays of objects or texts
            return _reference(leaf)
        return lambda: spec
    return _reference(leaf)


def _reference(value: Any) -> Callable[[], Any]:
    """The value while it is there, without keeping it there; small constants are kept."""
    if value is None or type(value) in (bool, int, float, complex, str, bytes):
        return lambda: value
    try:
        found: Callable[[], Any] = (
            weakref.WeakMethod(value) if isinstance(value, types.MethodType) else weakref.ref(value)
        )
    except TypeError:  # no weak references to it: a builtin object, such as a tuple or a dtype
        return lambda: value
    return lambda: _GONE if (held := found()) is None else held


_GONE = object()
