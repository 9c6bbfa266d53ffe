"""Finds the reasons of a miss: a new function object, a new cache key, or an entry that JAX dropped."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Sequence

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, could_not
from ..observation import Place
from ..value_texts import NOTHING_CALLED, Reading
from .cache_key import Key
from .closed_over import reads_another
from .closest_key import closest, compare, kinds_of_values
from .construct_reasons import construct_reasons
from .function_history import FunctionHistory, MissEvent
from .function_labels import is_same_kind, with_label
from .held_entries import EVICTED_ABOVE
from .reason import Reason, names_text
from .static_values import is_plain
from .transform_reasons import first_under, is_first_under, transform_reason, under
from .wrapped_functions import equinox_wrappers, written

_COMPARED = 128
"""The number of newest earlier keys with which a key is compared."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


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
    of_object = [old for old in earlier if old.function_object == event.function_object]
    if not of_object and event.construct is not None:
        return construct_reasons(event, earlier, history, reading)
    if not of_object:
        return _new_object(event, earlier, history, reading)
    if event.key is None:
        return (Reason("unknown", "The reason is unknown: the cache key of the call could not be read."),)
    if event.key.function is not None:
        of_object = [old for old in of_object if _same_function(old, event)]
        if not of_object:
            return (_new_equinox(event, earlier, history),)
    same_kind = [old for old in of_object if old.key is not None and old.key.traced == event.key.traced]
    if not same_kind:
        text = (
            f"This is the first call of {history.name} outside any transform. JAX makes another program for such calls."
        )
        if event.key.traced:
            text = (
                f"This is the first call of {history.name} under {under(event.key)}. JAX makes another program for "
                "such calls."
            )
        return (Reason("transform", text),)
    same_jit = [old for old in same_kind if _same_options(old, event)]
    by = event.key.options.by
    if not same_jit:
        text = f"This is the first call of {history.name} with these options for {by}."
        return (Reason("first_call", text, after=f"other options of {by}"),)
    if event.key.traced and event.outcome != "dispatch_only" and is_first_under(event.key, same_jit):
        # the first call under a new transform misses even if all types are equal, so other differences are no reason
        return (first_under(event.key, history.name),)
    keys = [old.key for old in same_jit[-_COMPARED:] if old.key is not None]
    nearest = closest(event.key, keys, reading)
    if nearest.compiles or (nearest.kinds and event.outcome == "dispatch_only" and not event.key.traced):
        return nearest.reasons
    return (_same_key(event, same_jit, history, reading),)


def _new_object(
    event: MissEvent, earlier: Sequence[MissEvent], history: FunctionHistory, reading: Reading
) -> tuple[Reason, ...]:
    """Return the reasons why the first call of a function object missed.

    The first reason is the new function object; further reasons are differences from an earlier call.
    """
    name = history.name
    number = event.function_object
    if event.held_before:
        return (
            Reason("first_observed", f"This is the first observed call of {name}. JAX had compiled {name} before."),
        )
    if number == 0 and not event.rerun and not event.reloaded:
        return (Reason("first_call", f"This is the first call of {name}."),)
    if event.rerun:
        text = f"The cell that defines {name} was run again, so {name} is a new function object."
        cure = f"Put the definition of {name} in a cell of its own, and run that cell once."
        return (Reason("cell_rerun", text, cure=cure), *_beside(event, earlier, reading))
    if event.reloaded and history.definition is not None:
        file = os.path.basename(history.definition.file)
        text = f"Python loaded {file} again, by a reload or by %run, so {name} is a new function object."
        cure = f"Expect one compile of {name} for each time that Python loads {file}."
        return (Reason("reloaded", text, cure=cure), *_beside(event, earlier, reading))
    expression = written(event.wrappers, name.strip("<>"))
    if event.alike == 0:
        called = _as_it_is(event, history, expression)
        return (Reason("first_call", f"This is the first call of {called}.", after=None if called == name else called),)
    return (_made_anew(event, history, expression), *_beside(event, earlier, reading))


def _made_anew(event: MissEvent, history: FunctionHistory, expression: str | None) -> Reason:
    name = history.name
    before = [old for old in history.events if old.function_object == event.function_object - 1]
    if event.partial is not None and before and before[0].partial is not None:
        return _new_partial(event, before[0], history)
    # Python compares bound methods by their object and function, so an equal method hits the entry of the earlier
    # method
    if event.method and event.outcome == "dispatch_only":
        text = (
            f"This is another method object of the same method {name}{_defined_at(history, event)}: Python makes a "
            f"new method object each time that the code reads object.{name}. JAX compiled nothing."
        )
        return Reason("new_function", text, cure="Jit the method once, and keep the jitted function in a variable.")
    if event.method:
        text = (
            f"This is another method {name}{_defined_at(history, event)}: each object.{name} is a function object of "
            "its own."
        )
        cure = "Jit the method once and keep the jitted function, or jit a function with the object as an argument."
        return Reason("new_function", text, cure=cure)
    plain = name.strip("<>")
    new_function_object = (
        f"the {_ordinal(event.alike)} function object of {expression or plain}{_defined_at(history, event)}"
    )
    if event.changed:
        return reads_another(new_function_object, plain, event.changed)
    if event.callable_class:
        if event.callable_class == "PjitFunction":
            text = f"This is a new jit of {name}, which is jitted already: jax.jit makes a function object of its own."
            return Reason(
                "new_function",
                text,
                cure="Keep the new jitted function in a variable, and call the function in the variable again.",
            )
        text = f"This is another {event.callable_class} object: each object has cache entries of its own."
        cure = f"Keep one {event.callable_class} object, or pass its values to a function as arguments."
        return Reason("new_function", text, cure=cure)
    by = "jit" if event.key is None else event.key.options.by
    text, cure = _where_made(new_function_object, event, by)
    if event.unread:
        cure += (
            f" If the contents of {names_text(event.unread)} change between the calls, pass the contents as arguments."
        )
    return Reason("new_function", text, cure=cure)


def _where_made(new_function_object: str, event: MissEvent, by: str) -> tuple[str, str]:
    """Return two texts: why the function object is new, and the cure."""
    making = event.making
    if making is None or (making.function is None and not making.in_loop):
        text = f"This is {new_function_object}. Make the function once."
        cure = "Keep the function in a variable: JAX caches by function object, not by code."
    elif making.in_loop:
        text = f"This is {new_function_object}. Move the {by} out of the loop."
        cure = "Make the function once, before the loop: JAX caches by function object, not by code."
    else:
        text = f"This is {new_function_object}: a call of {making.function} made a new function object."
        cure = f"Make the function once, outside of {making.function}: JAX caches by function object, not by code."
    if event.captured and making is not None and not making.in_loop:
        advice = f"Pass {names_text(event.captured)} to the function as arguments."
        if len(event.captured) == 1:
            advice = f"Pass {event.captured[0]} to the function as an argument."
        return text, f"{cure} {advice}"
    return text, cure


def _beside(event: MissEvent, earlier: Sequence[MissEvent], reading: Reading) -> tuple[Reason, ...]:
    """Return the differences from the closest call of an earlier function object with the same wrappers, as reasons."""
    if event.key is None:
        return ()
    keys = [
        old.key
        for old in earlier[-_COMPARED:]
        if old.key is not None
        and old.key.traced == event.key.traced
        and _same_options(old, event)
        and is_same_kind(old, event)
    ]
    if not keys:
        return ()
    nearest = closest(event.key, keys, reading)
    return nearest.reasons if nearest.compiles else ()


def _as_it_is(event: MissEvent, history: FunctionHistory, expression: str | None) -> str:
    """Return the text that names a function, in a history that holds functions with several wrappers.

    Examples are jax.grad(loss), or a partial of loss.
    """
    if len(history.wrapped) < 2:
        return history.name
    if event.callable_class == "PjitFunction":
        return f"a second jax.jit around {history.name}"
    if event.another:
        return f"another {expression or 'lambda'}{_defined_at(history, event)}"
    if event.partial is not None:
        return f"a partial of {history.name}"
    if expression is None:
        return f"{history.name} with this wrapper around it"
    return expression if event.wrappers else f"{history.name} itself"


def _new_equinox(event: MissEvent, earlier: Sequence[MissEvent], history: FunctionHistory) -> Reason:
    name = history.name.strip("<>")
    kind = event.key.function.type if event.key is not None and event.key.function is not None else None
    alike = [old for old in earlier if old.key is not None and old.key.function and old.key.function.type is kind]
    if not alike:
        expression = None if kind is None else written(("equinox.filter_jit", *equinox_wrappers(kind)), name)
        called = expression or f"{name} with this wrapper around it"
        return Reason("first_call", f"This is the first call of {called}.", after=called)
    text, _ = _where_made(f"another function object of {name}{_defined_at(history, event)}", event, "filter_jit")
    cure = "Make the function once, before the calls: the function is part of the cache key."
    return Reason("new_function", text, cure=cure)


def _new_partial(event: MissEvent, old: MissEvent, history: FunctionHistory) -> Reason:
    bound, before = event.partial or {}, old.partial or {}
    changed = [name for name in bound if before.get(name) != bound[name]]
    name = history.name
    if not changed:
        text = f"This is another partial of {name}. Make the partial once."
        if event.partial_read and old.partial_read:
            text = f"This is another partial of {name} that binds the same values. Make the partial once."
        cure = "Make the partial once, before the calls: JAX caches by function object."
        return Reason("new_function", text, cure=cure)
    first = changed[0]
    was = before.get(first, "not bound")
    text = f"This is another partial of {name}: {first} changed from {was} to {bound[first]}."
    cure = f"Jit {name} itself and pass {first} as an argument; make {first} static if {first} must be a Python value."
    return Reason("new_function", text, first, was, bound[first], cure)


def _without_fast_path(name: str, effects: Sequence[str]) -> str:
    slow = f"Each later call of {name} is a slow hit"
    effects_text = ", ".join(effects)
    if not effects:
        return f"{slow}: JAX gives {name} no fast path, and the cause is unknown."
    if all(re.match("Read|Write|Accum", effect) for effect in effects):
        return (
            f"{slow}: JAX has no fast path for a function that reads or writes a mutable reference from outside of the "
            f"function ({effects_text})."
        )
    return f"{slow}: JAX has no fast path for a function with effects, such as those of a callback ({effects_text})."


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
        return Reason("no_fast_path", _without_fast_path(history.name, event.effects))
    if event.trace is not None or (last is not None and last.clears != event.clears):
        place = "" if last is None else f" made{_line_from(last, event)}"
        why, clearing_call = _why_gone(event, last, history.name)
        return Reason(
            "cleared", f"The cache entry{place} is gone: {why}.", cure=_NO_CLEARING.format(call=clearing_call)
        )
    if event.outcome == "dispatch_only" and event.number > EVICTED_ABOVE:
        text = "The cache key equals an earlier key: JAX evicted the fast-path entry and reused the executable."
        return Reason("cleared", text)
    if event.outcome == "dispatch_only":
        # a transform may be active without a tracer among the arguments: of an integer, jvp passes on the array itself
        text = (
            "The cache key equals an earlier key, and JAX reused the executable. Why the call took no fast path is "
            "unknown."
        )
        return Reason("unknown", text)
    return Reason("unknown", "The reason is unknown: no recorded part of the cache key differs from an earlier call.")


_NO_CLEARING = "Do not call {call} between calls."


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
    except not_of_a_signal(*FAILURES):  # the `__hash__` of a leaf's class from another library raised
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
    return f"{line} of another cell" if _is_cell(place) else f"{line} of {os.path.basename(place.file)}"


def _defined_at(history: FunctionHistory, event: MissEvent) -> str:
    """Return the line of a function's def as text, such as ` from line 4`.

    The text also has the cell or the module if the call is in another cell or module.
    """
    place = event.definition or history.definition
    line = "" if place is None or not place.line else f" from line {place.line}"
    if place is None or not line or event.place is None or event.place.file == place.file:
        return line
    if not _is_cell(place):
        return f"{line} of {os.path.basename(place.file)}"
    return f"{line} of another cell" if event.definition_cell is None else f"{line} of cell [{event.definition_cell}]"


def _is_cell(place: Place) -> bool:
    return "ipykernel" in place.file or place.file.startswith("<ipython-input-")


def _ordinal(index: int) -> str:
    if index < len(_ORDINALS):
        return _ORDINALS[index]
    number = index + 1
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
