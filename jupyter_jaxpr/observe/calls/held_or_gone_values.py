"""Keeps weak references to the argument leaves of a call, so that leaves which still exist can be read later.

Scalars are kept as values. An array is kept by a weak reference, and can be read as long as the user's variables (or
`--steps`) keep it alive. If the user asked for copies on the host, `copy_to_host` copies the arrays that exist at the
end of the cell.
"""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import Sequence
from typing import Any, Literal

from ...interruptions import not_of_a_signal
from ...jax.facts import is_deleted
from ...jax.leaves_and_context_of_key import array_type
from ..advice_without_magics import KEEP_AND_INSPECT, cure
from ..index_array_values import numbers_of_array

Which = Literal["compiled", "last"]

_COPIED = 4_096  # the size in bytes of the largest NumPy array that is copied, because the user may write to it later

_ARRAYS, _ARRAYS_OF_FLOATS = 32, 8  # the most small arrays of a call that are copied

_GONE = "The values of the call are gone: nothing holds {arguments} any more. {cure}"
_KEEP_OR_STEPS = (
    "Keep the arguments in variables, or run the cell again with %%jaxpr --steps, which runs the steps with the cell."
)
_GIVEN_AWAY = "The values of the call are gone: the call donated {arguments}. {cure}"
_STEPS = "Run the cell again with %%jaxpr --steps, which copies donated arguments first."
_DO_NOT_RUN = "Keep the arguments in variables, and inspect the call with stage='compile', which donates nothing."
TYPES_ONLY = (
    "The program was traced from types, so there are no values. Call the function, or trace the function with values."
)


class ValuesGone(Exception):
    """Raised if the values of a call cannot be read any more; the message gives the reason and a cure."""


class CallValues:
    """The values of the argument leaves of one call.

    Args:
        leaves: The flat dynamic leaves of the call, in the order of the program's inputs.
        which_call: `compiled` for the newest call that missed, `last` for the last call.
        keep: True to keep the arrays alive, as `--steps` requires.
        earlier: The record of an earlier call that this record replaces; only its numbers are kept.
    """

    def __init__(
        self, leaves: Sequence[Any], which_call: Which, keep: bool = False, earlier: CallValues | None = None
    ) -> None:
        self.which = which_call
        self._recorded_at = time.perf_counter()
        self._earlier = None if earlier is None else (earlier._recorded_at, earlier.numbers())
        self._entries: list[Any] = list(map(_copy_of_small, leaves)) if keep else _all_held(leaves)
        # index of a leaf -> (copy of the array, its sharding; None for a NumPy array)
        self._copies: dict[int, tuple[Any, Any]] = {}
        self._numbers: dict[int, Any] = {}  # index of a leaf -> copy of a small array

    def copy_to_host(self, limit: int) -> int:
        """Copy the arrays that still exist to the host; if they take more than `limit` bytes together, copy none.

        Returns:
            The bytes of the copies. An array that is split over several devices is not copied.
        """
        jax = sys.modules["jax"]
        alive: list[Any] = [entry() if type(entry) is weakref.ref else entry for entry in self._entries]
        arrays = {place: array for place, array in enumerate(alive) if _can_be_copied(array)}
        size = sum(array.nbytes for array in arrays.values())
        if not arrays or size > limit:
            return 0
        try:
            host = jax.local_devices(backend="cpu")[0]
        except not_of_a_signal(RuntimeError):  # `jax_platforms` leaves out the CPU, so no copy is possible
            return 0
        # A reference to the array is not enough: a later call can donate the array, which frees its memory.
        self._copies = {
            place: (jax.device_put(array, host, may_alias=False), array.sharding)
            if isinstance(array, jax.Array)
            else (array.copy(), None)
            for place, array in arrays.items()
        }
        return int(size)

    def drop_copies(self) -> None:
        """Drop the copies that `copy_to_host` made."""
        self._copies = {}

    def arrays_that_may_change(self, copied: bool) -> bool:
        """Return whether one of the values is a NumPy array that the user may have changed since the call.

        Args:
            copied: True if small NumPy arrays were copied at the call.
        """
        alive: list[Any] = [entry() if type(entry) is weakref.ref else entry for entry in self._entries]
        arrays = [value for value in alive if type(value).__module__ == "numpy" and value.shape]
        return any(not copied or array.nbytes >= _COPIED for array in arrays)

    def numbers(self) -> list[Any]:
        """Return the numbers and the small arrays of numbers, with None in place of every other or unknown value."""
        alive = [entry() if type(entry) is weakref.ref else entry for entry in self._entries]
        return [self._numbers.get(place, numbers_of_array(value)) for place, value in enumerate(alive)]

    def numbers_since(self, start: float) -> list[list[Any]]:
        """Return the numbers of this call and of the earlier call, if these were recorded after `start`.

        Args:
            start: A time of `time.perf_counter`.
        """
        calls = [self._earlier or (self._recorded_at, []), (self._recorded_at, self.numbers())]
        return [numbers for recorded_at, numbers in calls if recorded_at >= start and numbers]

    def keep_numbers(self, only_on_cpu: bool = False) -> None:
        """Copy the first small arrays, which may be indices: the arrays themselves may soon be gone.

        Args:
            only_on_cpu: True to copy no array that the copy would transfer to the host.
        """
        left, floats_left = _ARRAYS, _ARRAYS_OF_FLOATS
        for place, entry in enumerate(self._entries):
            if type(entry) is not weakref.ref:
                continue
            number = numbers_of_array(entry(), floats_left > 0, only_on_cpu)
            if number is not None:
                self._numbers[place] = number
                left -= 1
                floats_left -= number.dtype.kind == "f"
                if not left:
                    return

    def let_go(self) -> None:
        """Replace the strong references, which kept the arrays alive, by weak references."""
        self._entries = [leaf if type(leaf) is weakref.ref else _stored(leaf) for leaf in self._entries]

    def among(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any] | None:
        """Return the arrays and values of this record if `args` and `kwargs` contain all of them.

        Return None if a value is missing from the arguments, or if one of the arrays was deleted.
        """
        passed = iter(sys.modules["jax"].tree_util.tree_leaves((tuple(args), kwargs)))
        values = [entry() if type(entry) is weakref.ref else entry for entry in self._entries]
        are_passed = all(value is not None and any(value is leaf for leaf in passed) for value in values)
        return values if are_passed and not any(map(is_deleted, values)) else None

    def get(self, paths: Sequence[str] = ()) -> list[Any]:
        """Return the values of the argument leaves.

        Args:
            paths: The paths of the leaves, for the error message.

        Raises:
            ValuesGone: A value no longer exists.
        """
        values = []
        for place, stored in enumerate(self._entries):
            value = stored() if type(stored) is weakref.ref else stored
            # The copy is used even if a NumPy array still exists: the user may have changed the array since the call.
            if place in self._copies and (not isinstance(value, sys.modules["jax"].Array) or is_deleted(value)):
                copy, sharding = self._copies[place]
                value = copy if sharding is None else sys.modules["jax"].device_put(copy, sharding)
            leaf_name = (paths[place] if place < len(paths) else "") or "its arrays"
            if value is None:
                raise ValuesGone(_GONE.format(arguments=leaf_name, cure=cure(_KEEP_OR_STEPS, KEEP_AND_INSPECT)))
            if isinstance(value, sys.modules["jax"].ShapeDtypeStruct):
                raise ValuesGone(TYPES_ONLY)
            if is_deleted(value):
                raise ValuesGone(_GIVEN_AWAY.format(arguments=leaf_name, cure=cure(_STEPS, _DO_NOT_RUN)))
            values.append(value)
        return values


def _all_held(leaves: Sequence[Any]) -> list[Any]:
    """Return the scalars, and weak references to the arrays.

    Runs at every miss and takes 0.2 us per leaf.
    """
    array, reference = array_type(), weakref.ref
    return [(reference(leaf) if leaf.aval.shape else leaf) if type(leaf) is array else _stored(leaf) for leaf in leaves]


def _copy_of_small(leaf: Any) -> Any:
    """Return a copy of a small NumPy array, because the user may change it later; return other leaves unchanged."""
    is_small = type(leaf).__module__ == "numpy" and bool(leaf.shape) and leaf.nbytes < _COPIED
    return leaf.copy() if is_small else leaf


def _stored(leaf: Any) -> Any:
    if not getattr(leaf, "shape", ()):
        return leaf
    if type(leaf).__module__ == "numpy" and leaf.nbytes < _COPIED:
        return leaf.copy()
    try:
        return weakref.ref(leaf)
    except TypeError:  # the leaf is a `jax.ShapeDtypeStruct`, or an array class allows no weak reference
        return leaf if isinstance(leaf, sys.modules["jax"].ShapeDtypeStruct) else None


def _can_be_copied(leaf: Any) -> bool:
    if not getattr(leaf, "shape", ()):
        return False  # the record of a scalar has the value itself, so no copy is needed
    if isinstance(leaf, sys.modules["jax"].Array):
        return not is_deleted(leaf) and len(leaf.sharding.device_set) == 1
    return type(leaf).__module__ == "numpy"


def copied(leaves: Sequence[Any], donated: Sequence[bool]) -> list[Any]:
    """Return the leaves; an array that a call is about to donate, so that its memory is lost, is replaced by a copy."""
    jax = sys.modules["jax"]
    if not any(donated):
        return list(leaves)
    donations = [*[False] * (len(leaves) - len(donated)), *donated]
    return [
        jax.numpy.copy(leaf) if is_donated and isinstance(leaf, jax.Array) else leaf
        for leaf, is_donated in zip(leaves, donations, strict=True)
    ]
