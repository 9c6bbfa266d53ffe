"""Makes the offer to trace a call of a function without jit; the panel shows the offer as a button.

The offer keeps no array alive: it keeps the types of arrays, and weak references to all other objects.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..observation import Place
from ..programs.arguments_in_signature import spec_of
from ..side_effects.harmless_functions import is_array_of_jax
from ..side_effects.refused_and_undone_traces import effect_text
from ..side_effects.side_effect import SideEffect

_SECOND_TIME = "The trace runs the Python of {call} a second time, with tracers in place of arrays."
_AGAIN = f"{_SECOND_TIME} Afterwards jupyter_jaxpr restores the Python objects that the call changes."
_ALL_THE_SAME = f"{_SECOND_TIME} {{effect}} This effect happens once more and cannot be undone."


class CallGone(Exception):
    """Raised if the function or an argument of the call no longer exists."""


class HeldCallForTrace:
    """A call that can be traced later, as long as its function and its arguments exist.

    Args:
        fun: The called function.
        args: The positional arguments.
        kwargs: The keyword arguments.
    """

    def __init__(self, fun: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        import jax

        self._fun = _reference(fun)
        leaves, self._tree = jax.tree_util.tree_flatten((tuple(args), dict(kwargs)))
        self._leaves = [_argument(leaf) for leaf in leaves]

    def call(self) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """Return the function, the positional arguments and the keyword arguments of the call.

        Each array is replaced by its type.

        Raises:
            CallGone: The function or an argument no longer exists.
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
    """An offer to trace a call whose Python may change objects outside of the call.

    Attributes:
        name: The name of the function.
        text: The source text of the call.
        effect: The side effect because of which the user must confirm the trace.
        call: The call.
        at: The place of the call.
    """

    name: str
    text: str
    effect: SideEffect
    call: HeldCallForTrace
    at: Place

    @property
    def allows_effects(self) -> bool:
        """True if the trace repeats a side effect that cannot be undone."""
        return self.effect.kind == "outside"

    @property
    def question(self) -> str:
        """The question that asks the user to confirm the trace; it says which side effects the trace repeats."""
        if not self.allows_effects:
            return _AGAIN.format(call=self.text)
        return _ALL_THE_SAME.format(call=self.text, effect=effect_text(self.effect, self.at.file))


def deciding(effects: Sequence[SideEffect]) -> SideEffect:
    """Return the side effect that the question names: the first one that cannot be undone, or else the first one."""
    return next((effect for effect in effects if effect.kind == "outside"), effects[0])


def _argument(leaf: Any) -> Callable[[], Any]:
    import jax
    import numpy as np

    if is_array_of_jax(leaf) or isinstance(leaf, np.ndarray | np.generic):
        try:
            spec = leaf if isinstance(leaf, jax.ShapeDtypeStruct) else spec_of(jax.typeof(leaf))
        except TypeError:  # JAX has no type for a NumPy array of objects or strings
            return _reference(leaf)
        return lambda: spec
    return _reference(leaf)


def _reference(value: Any) -> Callable[[], Any]:
    """Return a function that returns the value as long as the value exists.

    Numbers, strings and None are kept alive.
    """
    if value is None or type(value) in (bool, int, float, complex, str, bytes):
        return lambda: value
    try:
        reference: Callable[[], Any] = (
            weakref.WeakMethod(value) if isinstance(value, types.MethodType) else weakref.ref(value)
        )
    except TypeError:  # a builtin object that allows no weak reference, such as a tuple, is kept alive
        return lambda: value
    return lambda: _GONE if (value_now := reference()) is None else value_now


_GONE = object()
