"""The cache entries of a function in, whether JAX still holds each out.

JAX drops the entries of a function object that is gone, all entries at `jax.clear_caches()`, those of one function at
its `clear_cache()`, and the oldest of all functions above 8,192. The first two are known. For the third, JAX tells how
many entries of a function object there are: where that is fewer than were seen made, they are the newest ones. A call
that raised may leave an entry, too; where the entries that JAX holds may be of such calls, or where JAX may have
evicted entries, it is unknown which entries are gone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jax.facts import jitted_by_name
from ...plain_text import FAILURES
from .history import EVENTS_PER_FUNCTION, FunctionHistory, MissEvent

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
    for number in {event.function_object for event, held in zip(makers, found, strict=True) if held}:
        mine = [index for index, event in enumerate(makers) if found[index] and event.function_object == number]
        fast = sorted((index for index in mine if makers[index].fast_path), key=lambda index: makers[index].number)
        size = _size(history, number)
        if size is None or _several_options([makers[index] for index in mine]):
            continue
        raised = sum(_may_have_left_one(event, number, clears) for event in history.events)
        if size - raised >= len(fast):
            continue
        if size == 0:
            found = [held and index not in mine for index, held in enumerate(found)]
        elif raised or seen > _EVICTED_ABOVE or len(history.events) == EVENTS_PER_FUNCTION:  # some were forgotten
            found = [None if index in fast else held for index, held in enumerate(found)]
        else:
            found = [held and index not in fast[:-size] for index, held in enumerate(found)]
    return found


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
    except FAILURES:
        return None


def _several_options(events: Sequence[MissEvent]) -> bool:
    """Whether events are of jits with several options: each jit has its own entries."""
    keys = [event.key for event in events if event.key is not None]
    return any(not keys[0].options.equals(key.options) for key in keys[1:])
