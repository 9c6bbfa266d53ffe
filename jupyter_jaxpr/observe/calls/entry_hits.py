"""Counts the hits of each cache entry, for `%%jaxpr --per-entry`.

A hit runs no Python of JAX, but JAX's hook after each call receives the arguments of the hit. From these arguments, the
cache key is made as for a miss. This makes each call 10 to 100 us slower, depending on the number of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...interruptions import not_of_a_signal
from ...jax.post_hook import Results
from ...plain_text import FAILURES
from ..cache.key_of_call import key_of
from ..cache.types_and_layouts_of_key import Key
from ..reprs_of_users_values import Reading

if TYPE_CHECKING:
    from ..cache.history_of_one_function import FunctionHistory
    from ..functions.jitted_functions import Functions


@dataclass(slots=True)
class KeyHits:
    """The number of hits of one function object with the same cache key."""

    function_object: int
    key: Key
    times: int = 0


class EntryHits:
    """Counts the hits for each cache key on this thread, between `start` and `stop`."""

    def __init__(self, functions: Functions, reading: Reading, fail: Callable[[BaseException], None]) -> None:
        self._functions = functions
        self._reading = reading
        self._fail = fail
        self._hits: dict[int, dict[Hashable, KeyHits]] = {}  # Id of a history -> cache key -> hits.
        self._unread: set[int] = set()  # Ids of histories with a hit whose cache key could not be made.
        self._results: Results | None = None
        self.all_told = False

    def start(self) -> None:
        """Start counting hits; do nothing if already started, or if `jax_debug_nans` uses the hook."""
        if self._results is None:
            results = Results(self._hit, self._lose)
            self.all_told = results.start()
            self._results = results

    def stop(self) -> None:
        """Stop counting hits."""
        if self._results is not None:
            self._results.stop()
            self.all_told &= not self._results.overflowed

    def hits_of(self, history: FunctionHistory) -> list[KeyHits] | None:
        """Return the hits of a function for each cache key; None if the key of one of its hits could not be made."""
        if not self.all_told or id(history) in self._unread:
            return None
        return list(self._hits.get(id(history), {}).values())

    def _lose(self) -> None:
        self.all_told = False

    def _hit(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], _: Any) -> None:
        fun = getattr(called, "_fun", None)
        record = self._functions.record_of(fun)
        if record is None or record.library or record.construct is not None or record.history is None:
            return
        history, number, _rerun = record.history
        # equinox and pmap pass the arguments to JAX in other groups than the user, so no key can be made
        if record.equinox or record.pmap:
            self._unread.add(id(history))
            return
        try:
            key = key_of(called._jit_info, args, kwargs, fun, self._reading)
            keys = self._hits.setdefault(id(history), {})
            mark = number, _mark(key)
            if mark not in keys:
                keys[mark] = KeyHits(number, key)
            keys[mark].times += 1
        # For example, the call donated an argument, which cannot be read any more.
        except not_of_a_signal(*FAILURES) as error:
            self._unread.add(id(history))
            self._fail(error)


def _mark(key: Key) -> Hashable:
    """Return a hashable part of a key; it is equal for calls with equal keys."""
    statics = tuple((name, value.mark) for name, value in key.statics.items())
    return key.positional, key.keywords, key.treedef, key.leaves, statics, tuple(key.context)
