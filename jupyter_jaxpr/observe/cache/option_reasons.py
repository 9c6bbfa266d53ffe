"""Compares the options of two calls of `jax.jit` on one function, and names the options that differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...interruptions import not_of_a_signal
from ...joined_names import in_a_sentence
from ...plain_text import FAILURES, Limit, text_of
from ..reprs_of_users_values import Reading
from .closest_key import MOST_COMPARED, closest
from .reason import Reason, names_text
from .types_and_layouts_of_key import JitOptions, Key

# name in JAX's record -> name of the argument of `jax.jit`
_WRITTEN = {
    "in_shardings_treedef": "in_shardings",
    "in_shardings_leaves": "in_shardings",
    "out_shardings_treedef": "out_shardings",
    "out_shardings_leaves": "out_shardings",
    # `jax.jit` takes layouts in the same arguments as shardings
    "in_layouts_treedef": "in_shardings",
    "in_layouts_leaves": "in_shardings",
    "out_layouts_treedef": "out_shardings",
    "out_layouts_leaves": "out_shardings",
    "compiler_options_kvs": "compiler_options",
}
#: JAX finds the names of an option from its numbers, and the numbers from the names: one of the two says everything.
_NAMES_OF_NUMBERS = {"static_argnames": "static_argnums", "donate_argnames": "donate_argnums"}
#: Options that are not in the key of JAX's fast path: jits that differ in nothing else share entries.
_OPTIONS_OF_NO_ENTRY = frozenset(("keep_unused", "inline"))
#: Options whose values are too long for a sentence, or are not those that the user wrote.
_WITHOUT_VALUES = frozenset(("in_shardings", "out_shardings", "inline"))


def option_reasons(key: Key, earlier: Sequence[Key], name: str, reading: Reading) -> tuple[Reason, ...]:
    """Return the reasons of the first call of a function with these options of `jax.jit`.

    The first reason names the options that differ from those of the earlier call with the fewest other options; further
    reasons are the differences between the arguments of the two calls.

    Args:
        key: The key of the call.
        earlier: The keys of the earlier calls of the function, oldest first; at least one.
        name: The name of the function.
        reading: Says which methods of the user's objects may be called.
    """
    earlier = earlier[-MOST_COMPARED:]
    changes_by_key = [_without_entry(_changed(old.options, key.options)) for old in earlier]
    fewest = min(map(len, changes_by_key))
    changes = next(changes for changes in reversed(changes_by_key) if len(changes) == fewest)
    by = key.options.by
    text = f"This is the first call of {name} with these options for {by}."
    if not changes:  # the record of `jax.pmap` has no names
        return (Reason("first_call", text, after=f"other options of {by}"),)
    alike = [old for old, changed in zip(earlier, changes_by_key, strict=True) if len(changed) == fewest]
    if _OPTIONS_OF_NO_ENTRY.issuperset(changes):
        nearest = closest(key, alike, reading)
        if nearest.compiles:
            return nearest.reasons
    texts = [_text(option, before, after, key.options) for option, (before, after) in changes.items()]
    text = f"This is the first call of {name} with these options for {by}: {in_a_sentence(texts, 4)}."
    cure = f"JAX compiles {name} once for each set of options. Call one jitted function every time."
    first = Reason("first_call", text, after=f"other options of {by}", cure=cure)
    if any(option.startswith("static_") for option in changes):
        return (first,)  # the options decide which arguments are in the key, so the arguments cannot be compared
    nearest = closest(key, alike, reading)
    return (first, *(nearest.reasons if nearest.compiles else ()))


def _without_entry(changes: dict[str, tuple[Any, Any]]) -> dict[str, tuple[Any, Any]]:
    """Return the options that differ, without those of no entry if there are others."""
    of_entries = {option: values for option, values in changes.items() if option not in _OPTIONS_OF_NO_ENTRY}
    return of_entries or changes


def _changed(old: JitOptions, new: JitOptions) -> dict[str, tuple[Any, Any]]:
    """Return {argument of `jax.jit`: its values in the two calls} for the options that differ."""
    before, after = old.named, new.named
    differing = [name for name in after if name not in before or not _is_equal(before[name], after[name])]
    changes: dict[str, tuple[Any, Any]] = {}
    for name in differing:
        if _NAMES_OF_NUMBERS.get(name) not in differing:
            changes.setdefault(_WRITTEN.get(name, name), (before.get(name), after[name]))
    return changes


def _is_equal(before: Any, after: Any) -> bool:
    try:
        return bool(before == after)
    except not_of_a_signal(*FAILURES):  # comparing two shardings may call the `__eq__` of a user's class
        return False


def _text(option: str, before: Any, after: Any, options: JitOptions) -> str:
    if option in _WITHOUT_VALUES:
        return f"{option} changed"
    names = next((options.named.get(names) for names, numbers in _NAMES_OF_NUMBERS.items() if numbers == option), ())
    parameters = f" ({names_text(names)})" if names else ""
    return f"{option} changed from {_value(before)} to {_value(after)}{parameters}"


def _value(value: Any) -> str:
    if value is None or value == ():
        return "none"
    if type(value) is tuple and all(type(pair) is tuple and len(pair) == 2 for pair in value):
        value = dict(value)  # the record holds the dict of `compiler_options` as pairs
    elif type(value) is tuple and len(value) == 1:
        (value,) = value
    return text_of(value, Limit.VALUE)
