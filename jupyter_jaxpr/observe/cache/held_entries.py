"""Decides which cache entries of a function JAX still holds.

JAX drops the entries of a function object that is gone, all entries at `jax.clear_caches()`, those of one function at
its `clear_cache()`, and the oldest of all functions above 8,192. The first two are known. For the third, JAX tells how
many entries of a function object there are: where that is fewer than were seen made, they are the newest ones. A call
that raised may leave an entry, too; where the entries that JAX holds may be of such calls, or where JAX may have
evicted entries, it is unknown which entries are gone. Entries without a fast path are not in that count: JAX tells how
many traces of the function object it holds, and an entry whose trace is gone is gone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from ...interruptions import not_of_a_signal
from ...jax.facts import jitted_by_name
from ...jax.held_traces import traces_by_function
from ...plain_text import FAILURES
from .function_history import EVENTS_PER_FUNCTION, FunctionHistory, MissEvent

_EVICTED_ABOVE = 4_000
"""Misses of the user's functions from which on JAX may evict entries: its 8,192 are for those of libraries, too."""


def held_entries(history: FunctionHistory, clears: int, seen: int) -> list[bool | None]:
    """Whether JAX holds each entry of a function now, in the order of `history.entries`; None where unknown.

    Args:
        history: Of the function, the entry of each event told.
        clears: How often JAX's caches were cleared.
        seen: How many misses were seen in this kernel, of all functions.
    """
    newest = {event.entry: event for event in history.events if event.entry >= 0}
    makers = [newest.get(index, maker) for index, maker in enumerate(history.entries)]
    found: list[bool | None] = [history.is_alive(event.function_object) and event.clears == clears for event in makers]
    traces: Callable[[], Mapping[int, int] | None] = functools.cache(traces_by_function)
    for number in {event.function_object for event, held in zip(makers, found, strict=True) if held}:
        mine = [index for index, event in enumerate(makers) if found[index] and event.function_object == number]
        fast = sorted((index for index in mine if makers[index].fast_path), key=lambda index: makers[index].number)
        size = _size(history, number)
        if size is None or _several_options([makers[index] for index in mine]):
            continue
        raised = sum(_may_have_left_one(event, number, clears) for event in history.events)
        forgotten = bool(raised) or seen > _EVICTED_ABOVE or len(history.events) == EVENTS_PER_FUNCTION
        if size - raised < len(fast):
            if size == 0:
                found = [held and index not in mine for index, held in enumerate(found)]
            elif forgotten:
                found = [None if index in fast else held for index, held in enumerate(found)]
            else:
                found = [held and index not in fast[:-size] for index, held in enumerate(found)]
        slow = [index for index in mine if index not in fast and found[index]]
        held_traces = _traces_left(history, number, traces()) if slow else None
        if held_traces is not None:
            traced = _last_traces(history, slow)
            left = held_traces - sum(found[index] is True for index in fast)
            if left < len(traced):
                gone = slow if left <= 0 else sorted(traced, key=traced.__getitem__)[:-left]
                verdict = None if forgotten and left > 0 else False
                found = [verdict if index in gone else held for index, held in enumerate(found)]
    return found


def _last_traces(history: FunctionHistory, entries: Sequence[int]) -> dict[int, int]:
    """Of those entries that JAX traced: the number of the last miss in which it did."""
    return {event.entry: event.number for event in history.events if event.entry in entries and event.trace is not None}


def _traces_left(history: FunctionHistory, number: int, traces: Mapping[int, int] | None) -> int | None:
    """How many traces of a function object JAX holds; None where JAX does not tell."""
    reference = history.alive.get(number)
    fun = reference() if reference is not None else None
    return traces.get(id(fun), 0) if traces is not None and fun is not None else None


def _may_have_left_one(event: MissEvent, number: int, clears: int) -> bool:
    """Whether an event is of a call of a function object that raised since JAX's caches were cleared."""
    return event.outcome == "raised" and event.function_object == number and event.clears == clears


def _size(history: FunctionHistory, number: int) -> int | None:
    """How many entries JAX's fast path holds for a function object; None where the jitted function is not known."""
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
    """Whether events are of jits with several options: each jit has its own entries."""
    keys = [event.key for event in events if event.key is not None]
    return any(not keys[0].options.equals(key.options) for key in keys[1:])
