"""Finds the reasons of a miss: a new function object, a new cache key, or an entry that JAX dropped."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from dataclasses import replace

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, could_not
from ..reprs_of_users_values import NOTHING_CALLED, Reading
from .closest_key import MOST_COMPARED, closest, compare, kinds_of_values
from .construct_reasons import NO_CLEARING, construct_reasons
from .function_named_in_reason import with_label
from .function_object_reasons import (
    function_object_reasons,
    is_cell,
    new_equinox_reason,
    reason_of_entry_of_equal_object,
    reason_of_equal_object,
)
from .held_entries import EVICTED_ABOVE
from .history_of_one_function import FunctionHistory, MissEvent
from .option_reasons import option_reasons
from .reason import Reason
from .slow_hit_reasons import without_fast_path
from .static_values import is_plain
from .transform_reasons import first_under, has_types_of, is_first_under, transform_reason, under, under_the_same
from .types_and_layouts_of_key import Key


def reasons_of(event: MissEvent, history: FunctionHistory, reading: Reading = NOTHING_CALLED) -> tuple[Reason, ...]:
    """Return the reasons of a miss; () for a call that JAX inlined or that raised.

    Args:
        event: The call that missed.
        history: The history of the function.
        reading: Says which methods of the user's objects may be called.
    """
    if event.reasons is None and event.outcome is not None:
        try:
            event.reasons = with_label(_reasons(event, history, reading), event, history)
        # an error in one reason must not prevent the reading of the other misses
        except not_of_a_signal(*FAILURES) as error:
            event.reasons = (Reason("unknown", f"The reason is unknown: the difference {could_not(error)}."),)
    return event.reasons or ()


def _reasons(event: MissEvent, history: FunctionHistory, reading: Reading) -> tuple[Reason, ...]:
    if event.outcome in ("inlined", "raised"):
        return ()
    earlier = [old for old in history.events if old.number < event.number and old.made_entry and old.key is not None]
    objects = {event.function_object, *event.equal_objects}
    of_object = [old for old in earlier if old.function_object in objects]
    if not of_object and event.construct is not None:
        return construct_reasons(event, earlier, history, reading)
    if not of_object:
        return function_object_reasons(event, earlier, history, reading)
    if event.key is None:
        return (Reason("unknown", "The reason is unknown: the cache key of the call could not be read."),)
    if event.key.function is not None:
        of_object = [old for old in of_object if _same_function(old, event)]
        if not of_object:
            return (new_equinox_reason(event, earlier, history),)
    same_kind = [old for old in of_object if old.key is not None and old.key.traced == event.key.traced]
    if not same_kind and event.outcome == "dispatch_only":
        if event.key.traced:
            return (transform_reason(event, of_object, history.name, reading),)
        text = (
            f"The earlier calls of {history.name} were under a transform, and such calls have no fast path. JAX "
            "compiled nothing."
        )
        return (Reason("transform", text),)
    if not same_kind:
        text = (
            f"This is the first call of {history.name} outside any transform. JAX makes another program for such calls."
        )
        if event.key.traced:
            text = (
                f"This is the first call of {history.name} under {under(event.key)}. JAX makes another program for "
                "such calls."
            )
        if event.key.traced or event.trace is not None:
            text += _traced_too(event, of_object, history, reading)
        return (Reason("transform", text),)
    same_jit = [old for old in same_kind if _same_options(old, event)]
    if event.equal_objects and event.outcome == "dispatch_only" and not event.key.traced:
        own = [old.key for old in same_jit if old.function_object == event.function_object and old.key is not None]
        if not own or closest(event.key, own[-MOST_COMPARED:], reading).compiles:
            return (reason_of_equal_object(event, history),)
    if not same_jit:
        return option_reasons(event.key, [old.key for old in same_kind if old.key is not None], history.name, reading)
    if event.key.traced and event.outcome != "dispatch_only" and is_first_under(event.key, same_jit):
        # the first call under a new transform misses even if all types are equal, so other differences are no reasons
        # of the miss, but of the trace
        reason = first_under(event.key, history.name)
        return (replace(reason, text=reason.text + _traced_too(event, same_jit, history, reading)),)
    if event.key.traced:
        same_jit = under_the_same(event.key, same_jit)
    keys = [old.key for old in same_jit[-MOST_COMPARED:] if old.key is not None]
    nearest = closest(event.key, keys, reading)
    if nearest.compiles or (nearest.kinds and event.outcome == "dispatch_only" and not event.key.traced):
        return nearest.reasons
    return (_same_key(event, same_jit, history, reading),)


def _traced_too(event: MissEvent, of_object: Sequence[MissEvent], history: FunctionHistory, reading: Reading) -> str:
    """Return the sentences on a trace in the first call under a transform, which begin with a space.

    JAX keeps one trace of a function for each combination of argument types; a transform needs no trace of its own. The
    result is empty if JAX may have had a trace of these types.
    """
    assert event.key is not None
    may_have_trace = any(
        old.function_object == event.function_object and old.outcome in ("inlined", "raised") and old is not event
        for old in history.events
    )
    may_have_trace |= event.first is not None and event.first.held_before
    keys = [old.key for old in of_object if old.key is not None and old.clears == event.clears]
    if may_have_trace or not keys or event.key.statics or any(has_types_of(key, event.key) for key in keys):
        return ""
    differences = closest(event.key, keys[-MOST_COMPARED:], reading).reasons
    types = [reason.text for reason in differences if reason.kind in ("shape", "dtype", "weak_type")]
    return f" JAX also traced {history.name} again. {types[0]}" if types else ""


def _same_key(event: MissEvent, of_object: Sequence[MissEvent], history: FunctionHistory, reading: Reading) -> Reason:
    """Return the reason of a miss whose key equals an earlier key.

    JAX dropped the entry, or JAX makes no entry for such calls.
    """
    assert event.key is not None
    equal = (old for old in reversed(of_object) if old.key is not None and not compare(old.key, event.key, reading))
    last = next(equal, None)
    if event.key.traced:
        return transform_reason(event, of_object, history.name, reading)
    if event.outcome == "dispatch_only" and last is not None and not last.fast_path:
        return Reason("no_fast_path", without_fast_path(history.name, event.effects))
    if event.trace is not None and last is not None and last.clears == event.clears:
        gone = [number for number in last.equal_objects if not history.is_alive(number)]
        if gone and last.outcome == "dispatch_only":
            return reason_of_entry_of_equal_object(last, history)
    if event.trace is not None or (last is not None and last.clears != event.clears):
        where_made = "" if last is None else f" made{_line_from(last, event)}"
        why_gone, clearing_call = _why_gone(event, last, history.name)
        return Reason(
            "cleared", f"The cache entry{where_made} is gone: {why_gone}.", cure=NO_CLEARING.format(call=clearing_call)
        )
    if event.outcome == "dispatch_only" and event.number > EVICTED_ABOVE:
        text = "The cache key equals an earlier key: JAX evicted the fast-path entry and reused the executable."
        return Reason("cleared", text)
    if event.outcome == "dispatch_only":
        text = (
            "The cache key equals an earlier key, and JAX reused the executable. Why the call took no fast path is "
            "unknown."
        )
        return Reason("unknown", text)
    return Reason("unknown", "The reason is unknown: no recorded part of the cache key differs from an earlier call.")


def _why_gone(event: MissEvent, last: MissEvent | None, name: str) -> tuple[str, str]:
    """Return two texts: why JAX dropped the entry of a key, and which call cleared the entries."""
    if last is not None and last.clears != event.clears:
        return "jax.clear_caches() cleared the caches", "jax.clear_caches()"
    if event.number > EVICTED_ABOVE:
        return "the caches were cleared, or JAX evicted the entry", "jax.clear_caches() or clear_cache()"
    return f"clear_cache() cleared the entries of {name}", "clear_cache()"


def _same_function(old: MissEvent, new: MissEvent) -> bool:
    assert old.key is not None and new.key is not None
    before, after = old.key.function, new.key.function
    return before is not None and after is not None and before.equals(after)


def entries_of(history: FunctionHistory, reading: Reading) -> list[MissEvent]:
    """Return the event that made each cache entry, in order.

    The function also sets `entry`, the index of the entry, on each event of the history.
    """
    # The loop runs over a copy: the comparison of keys may call a user's `__eq__`, which may call the function again
    # and add an event.
    for event in list(history.events):
        if event.entry < 0 and event.made_entry and event.key is not None:
            event.entry = _entry(event, event.key, history, reading)
    history.forget_entries()
    return history.entries


def _entry(event: MissEvent, key: Key, history: FunctionHistory, reading: Reading) -> int:
    mark = _mark(event.function_object, key)
    index = _entry_with(event.function_object, key, mark, history, reading)
    if index is not None:
        return index
    history.entries.append(event)
    history.by_hash.setdefault(mark, []).append(len(history.entries) - 1)
    return len(history.entries) - 1


def entry_of(function_object: int, key: Key, history: FunctionHistory, reading: Reading) -> int | None:
    """Return the index of the entry that a call with this key hits.

    Return None if the entry was made before the observation.
    """
    return _entry_with(function_object, key, _mark(function_object, key), history, reading)


def _mark(function_object: int, key: Key) -> int:
    """Return a hash of a function object and a key; equal keys have equal hashes."""
    statics = tuple((name, value.plain) for name, value in key.statics.items())
    try:
        return hash((function_object, _dict_keys(key), key.leaves, statics))
    except not_of_a_signal(*FAILURES):  # a leaf's `__hash__` raised: the function object alone is the mark
        return function_object


def _dict_keys(key: Key) -> tuple[tuple[Hashable, ...], ...]:
    """Return the keys of each dict in the arguments; keys whose comparison runs user code are left out."""
    trees = [tree.node_data() for side in key.treedef.children() for tree in side.children()]
    return tuple(tuple(filter(is_plain, node[1])) for node in trees if node is not None and node[0] is dict)


def _entry_with(function_object: int, key: Key, mark: int, history: FunctionHistory, reading: Reading) -> int | None:
    for index in history.by_hash.get(mark, ()):
        first = history.entries[index]
        if first.function_object != function_object or first.key is None:
            continue
        if first.key.options.equals(key.options) and is_equal(first.key, key, reading):
            return index
    return None


def is_equal(old: Key, new: Key, reading: Reading) -> bool:
    """Return whether two calls of one function object use the same cache entry."""
    if old.traced != new.traced:
        return False
    try:
        kinds = kinds_of_values(old, new)
        return not (compare(old, new, reading) if kinds is None else kinds)
    except not_of_a_signal(*FAILURES):  # if a comparison raises, the keys count as different
        return False


def _same_options(old: MissEvent, new: MissEvent) -> bool:
    assert old.key is not None and new.key is not None
    return old.key.options.equals(new.key.options)


def _line_from(old: MissEvent, new: MissEvent) -> str:
    """Return the line of an earlier call as text, such as ` from line 4`.

    The text also has the cell or the file if the later call is in another cell or file.
    """
    place = old.place
    if place is None or not place.line:
        return ""
    line = f" from line {place.line}"
    if new.place is not None and new.place.file == place.file:
        return line
    if old.cell is not None:
        return f"{line} of cell [{old.cell}]"
    return f"{line} of another cell" if is_cell(place) else f"{line} of {os.path.basename(place.file)}"
