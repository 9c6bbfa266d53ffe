"""Decides which cache entries of a function JAX still holds.

JAX drops entries in four cases: (1) the entries of a deleted function object; (2) all entries at `jax.clear_caches()`;
(3) the entries of one function at its `clear_cache()`; (4) the oldest entries when all functions together have more
than 8,192. The observer sees cases 1 and 2. For case 3, JAX reports how many entries with a fast path a function object
has: if this number is smaller than the number that the observer saw, JAX has only the newest entries. For entries
without a fast path, JAX reports how many traces a function object has: an entry without its trace has been dropped.

A call that raised can also leave an entry. If such entries are possible, or if case 4 is possible, it is unknown which
entries JAX dropped.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from ...interruptions import not_of_a_signal
from ...jax.facts import jitted_by_name
from ...jax.held_traces import traces_by_function
from ...plain_text import FAILURES
from .closest_key import kinds_of_values
from .history_of_one_function import EVENTS_PER_FUNCTION, FunctionHistory, MissEvent
from .types_and_layouts_of_key import Key

EVICTED_ABOVE = 4_000
"""The number of misses of the user's functions above which JAX may evict entries.

JAX keeps 8,192 entries, but the entries of libraries count, too.
"""


def held_entries(history: FunctionHistory, clears: int, misses: int) -> list[bool | None]:
    """Return for each entry in `history.entries` whether JAX still has the entry; None if this is unknown.

    Args:
        history: The history of the function; `entry` is already set on each event.
        clears: How often JAX's caches were cleared.
        misses: The number of misses of all functions in this kernel.
    """
    newest = {event.entry: event for event in history.events if event.entry >= 0}
    makers = [newest.get(index, maker) for index, maker in enumerate(history.entries)]
    is_held_by_entry: list[bool | None] = [
        history.is_alive(event.function_object) and event.clears == clears for event in makers
    ]
    traces: Callable[[], Mapping[int, int] | None] = functools.cache(traces_by_function)
    for number in {event.function_object for event, is_held in zip(makers, is_held_by_entry, strict=True) if is_held}:
        mine = [
            index for index, event in enumerate(makers) if is_held_by_entry[index] and event.function_object == number
        ]
        fast = sorted((index for index in mine if makers[index].fast_path), key=lambda index: makers[index].number)
        size = _size(history, number)
        if size is None or _several_options([makers[index] for index in mine]):
            continue
        raised = _left_by_raised(
            [event for event in history.events if _may_have_left_one(event, number, clears)],
            [makers[index] for index in mine],
        )
        forgotten = bool(raised) or misses > EVICTED_ABOVE or len(history.events) == EVENTS_PER_FUNCTION
        if size - raised < len(fast):
            if size == 0:
                is_held_by_entry = [is_held and index not in mine for index, is_held in enumerate(is_held_by_entry)]
            elif forgotten:
                is_held_by_entry = [
                    None if index in fast else is_held for index, is_held in enumerate(is_held_by_entry)
                ]
            else:
                is_held_by_entry = [
                    is_held and index not in fast[:-size] for index, is_held in enumerate(is_held_by_entry)
                ]
        slow = [index for index in mine if index not in fast and is_held_by_entry[index]]
        held_traces = _traces_left(history, number, traces()) if slow else None
        if held_traces is not None:
            traced = _last_traces(history, slow)
            left = held_traces - sum(is_held_by_entry[index] is True for index in fast)
            if left < len(traced):
                evicted = slow if left <= 0 else sorted(traced, key=traced.__getitem__)[:-left]
                verdict = None if forgotten and left > 0 else False
                is_held_by_entry = [
                    verdict if index in evicted else is_held for index, is_held in enumerate(is_held_by_entry)
                ]
    return is_held_by_entry


def _last_traces(history: FunctionHistory, entries: Sequence[int]) -> dict[int, int]:
    """Return {entry: number of the last miss in which JAX traced for the entry}."""
    return {event.entry: event.number for event in history.events if event.entry in entries and event.trace is not None}


def _traces_left(history: FunctionHistory, number: int, traces: Mapping[int, int] | None) -> int | None:
    """Return the number of traces that JAX has of a function object; None if JAX does not report it."""
    reference = history.alive.get(number)
    fun = reference() if reference is not None else None
    return traces.get(id(fun), 0) if traces is not None and fun is not None else None


def _may_have_left_one(event: MissEvent, number: int, clears: int) -> bool:
    """Return whether an event, a call of the function object, raised since JAX's caches were last cleared."""
    return event.outcome == "raised" and event.function_object == number and event.clears == clears


def _left_by_raised(raised: Sequence[MissEvent], makers: Sequence[MissEvent]) -> int:
    """Return the largest number of entries that raised calls can have left in JAX's cache.

    A raised call leaves an entry without a program; a later successful call with the same key fills this entry. Calls
    with equal keys leave one entry.
    """
    known = [maker.key for maker in makers[-_KEYS:]]
    left = 0
    for event in raised:
        if any(are_surely_equal(key, event.key) for key in known):
            continue
        left += 1
        if len(known) < 2 * _KEYS:
            known.append(event.key)
    return left


_KEYS = 32


def are_surely_equal(old: Key | None, new: Key | None) -> bool:
    """Return whether two keys certainly are equal.

    The answer is False for keys with static values: comparing these could call the `__eq__` of a user's class.
    """
    if old is None or new is None or old.statics or new.statics or old.function or new.function:
        return False
    return kinds_of_values(old, new) == ()


def _size(history: FunctionHistory, number: int) -> int | None:
    """Return JAX's number of fast-path entries of a function object; None if its jitted function is unknown."""
    called, fun = history.jitted.get(number), history.alive.get(number)
    jitted = called() if called is not None else None
    if jitted is None and fun is not None:
        jitted = jitted_by_name(fun())
    if jitted is None:
        return None
    try:
        return int(jitted._cache_size())
    except not_of_a_signal(*FAILURES):
        return None


def _several_options(events: Sequence[MissEvent]) -> bool:
    """Return whether the events come from several `jax.jit` calls with different options.

    JAX keeps separate entries for each of these options.
    """
    keys = [event.key for event in events if event.key is not None]
    return any(not keys[0].options.equals(key.options) for key in keys[1:])
