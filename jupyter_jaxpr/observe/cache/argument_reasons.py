"""Compares the arguments of two calls and yields a reason for each difference: value, structure, call style.

Arguments are compared by parameter name, as Python binds them; an argument that a call left out has its default value.
If a call leaves a dynamic argument out, JAX traces the function with the default value as a constant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...jax.leaves_and_context_of_key import flatten
from ...quantities import count
from ..reprs_of_users_values import Reading
from .leaf_reasons import array_of_each_value, type_and_weakness
from .reason import Reason, names_text, one_compile_each
from .static_fields_of_pytrees import structure_text
from .static_reasons import static_reason
from .static_values import UNKNOWN, StaticLeaf, StaticValue
from .structure_reasons import structure_difference
from .types_and_layouts_of_key import Key, Leaf

_ONE_OF_MANY = re.compile(r"(.+)\[\d+\]|argument \d+")
"""The name of an argument that has no parameter of its own: one of `*args`, or of a function without a signature."""


def static_differences(old: Key, new: Key) -> Iterator[Reason]:
    """Yield a reason for each static argument whose value differs between the two calls.

    An argument that was left out has its default value.
    """
    for name, after in _bound_statics(new, old).items():
        before = old.statics.get(name) or old.defaults.get(name)
        if before is None or before.equals(after):
            continue
        cure = one_compile_each(name)
        if issubclass(after.type, int | float | complex) and after.type is not bool:
            cure = (
                f"JAX compiles once for each value of {name}. "
                f"Make {name} a traced argument if the function only computes with it."
            )
        yield static_reason(f"The static argument {name.removeprefix('argument ')}", name, before, after, cure)


def _bound_statics(key: Key, other: Key) -> dict[str, StaticValue]:
    """Return the static values of `key`, and the default values of static arguments that only `other` passed."""
    return {**{name: value for name, value in key.defaults.items() if name in other.statics}, **key.statics}


def dynamic_differences(
    old: Key, new: Key, old_leaves: Mapping[str, Leaf], new_leaves: Mapping[str, Leaf], reading: Reading
) -> Iterator[tuple[int, Reason]]:
    """Yield a reason for each dynamic argument whose structure differs, or that only one of the two calls passed.

    Each reason comes with the number of differences that it covers.
    """
    old_trees, new_trees = _argument_trees(old), _argument_trees(new)
    for name, tree in new_trees.items():
        if name in old_trees:
            yield from structure_difference(name, old_trees[name], tree, old_leaves, new_leaves, reading)
        elif name in old.defaults:
            default, fixed = old.defaults[name], _fixed(new_leaves.get(name))
            if fixed is not None and not default.equals(fixed):
                yield 1, static_reason(f"The static value {name}", name, default, fixed, array_of_each_value(name))
            elif fixed is None and not _is_default(default, tree):
                yield 1, _passed_now(name, default, _text(name, tree, new_leaves, reading))
    for name, tree in old_trees.items():
        if name in new.defaults:
            default, fixed = new.defaults[name], _fixed(old_leaves.get(name))
            if fixed is not None and not fixed.equals(default):
                yield 1, static_reason(f"The static value {name}", name, fixed, default, array_of_each_value(name))
            elif fixed is None and not _is_default(default, tree):
                yield 1, _left_out_now(name, _text(name, tree, old_leaves, reading), default)
    for reason in _without_parameter(old, new):
        yield 1, reason


def _fixed(leaf: Leaf | None) -> StaticValue | None:
    """Return the value of a leaf that is static in `equinox.filter_jit`; None if `leaf` is an array or None."""
    return leaf.holder.value if leaf is not None and isinstance(leaf.holder, StaticLeaf) else None


def _is_default(default: StaticValue, tree: Any) -> bool:
    """Return whether an argument of the structure `tree` equals a default value without leaves, such as None."""
    if tree.num_leaves or default.value is UNKNOWN:
        return False
    return bool(flatten(default.value)[1] == tree)


def _text(name: str, tree: Any, leaves: Mapping[str, Leaf], reading: Reading) -> str:
    """Return the text of an argument: the type of an array, such as f32[8], or the pytree structure of a container."""
    leaf = leaves.get(name)
    return structure_text(tree, reading, 80) if leaf is None else type_and_weakness(leaf)


def _passed_now(name: str, default: StaticValue, passed: str) -> Reason:
    if default.value is None:
        text = f"The value of {name} changed from None, the default, to {passed}."
    else:
        text = (
            f"This call passes {name}, but the earlier call used the default {default.text}, which is a constant of "
            "the earlier program."
        )
    return Reason("pytree", text, name, default.text, passed, _default_cure(name, default))


def _left_out_now(name: str, passed: str, default: StaticValue) -> Reason:
    if default.value is None:
        text = f"The value of {name} changed from {passed} to None, the default."
    else:
        text = (
            f"The call leaves out {name}, which the earlier call passed: the default {default.text} is a constant of "
            "the program."
        )
    return Reason("pytree", text, name, passed, default.text, _default_cure(name, default))


def _default_cure(name: str, default: StaticValue) -> str:
    if default.value is None:
        return f"Expect one compile for the calls that pass {name} and one for the calls that leave {name} out."
    return f"Pass {name} in every call, or leave {name} out in every call."


def _without_parameter(old: Key, new: Key) -> Iterator[Reason]:
    """Yield a reason for each difference in `*args` and in `**kwargs`: the number of values, or the names."""
    before, after = (_variadic(key) for key in (old, new))
    for group in sorted(before.keys() | after.keys()):
        was, count_after = before.get(group, 0), after.get(group, 0)
        if was != count_after:
            values_before, values_passed = count(was, "value"), count(count_after, "value")
            text = f"The call passes {values_passed}, the earlier call passed {was}."
            if group:
                text = f"The call passes {values_passed} for *{group}, the earlier call passed {was}."
            yield Reason(
                "pytree",
                text,
                group or None,
                values_before,
                values_passed,
                "Expect one compile for each different number of values.",
            )
    gained, lost = _only_in(new, old), _only_in(old, new)
    if gained or lost:
        if not lost:
            text = f"The call passes {names_text(gained)}, which the earlier call did not pass."
        elif not gained:
            text = f"The call does not pass {names_text(lost)}, which the earlier call passed."
        else:
            text = f"The call passes {names_text(gained)}, where the earlier call passed {names_text(lost)}."
        cure = "Pass the same keyword arguments every time."
        only = names_text(lost) or "not passed", names_text(gained) or "not passed"
        yield Reason("pytree", text, (gained + lost)[0], *only, cure)


def _variadic(key: Key) -> dict[str, int]:
    """Return {name of an `*args` parameter: number of values}; without a signature the name is empty."""
    counts: dict[str, int] = {}
    for name in passed(key):
        match = _ONE_OF_MANY.fullmatch(name)
        if match is not None:
            group = match[1] or ""
            counts[group] = counts.get(group, 0) + 1
    return counts


def _only_in(key: Key, other: Key) -> list[str]:
    """Return the arguments that `key` passed, without those that `other` passed or has as default values."""
    other_names = {*passed(other), *other.defaults}
    return [name for name in passed(key) if name not in other_names and not _ONE_OF_MANY.fullmatch(name)]


def passed(key: Key) -> tuple[str, ...]:
    """Return the names of the arguments that a call passed explicitly."""
    return (*key.names, *key.statics)


def call_style(old: Key, new: Key, reasons: Iterable[Reason]) -> Reason | None:
    """Return a reason if two calls pass equal arguments in different ways, such as by position and by keyword.

    Return None if the ways are the same.

    Args:
        old: The earlier call.
        new: This call.
        reasons: The other differences of the two calls. An argument that one of them names is left out, except for a
            new static object: to reuse the object helps only if the call also passes the object in the same way.
    """
    if (old.positional, old.keywords) == (new.positional, new.keywords):
        return None
    reasons = list(reasons)
    others = [reason for reason in reasons if reason.argument and reason.kind != "static_identity"]
    differing = {re.split(r"[.\[<]", reason.argument or "")[0] for reason in others}
    before, passed_after = (set(passed(key)) - differing for key in (old, new))
    moved = sorted(before.intersection(new.keywords).difference(old.keywords))
    unmoved = sorted(passed_after.intersection(old.keywords).difference(new.keywords))
    added = [name for name in passed(new) if name in passed_after and name in old.defaults]
    left_out = [name for name in passed(old) if name in before and name in new.defaults]
    changes = [(way, names) for way, names in zip(_WAYS, (moved, unmoved, added, left_out), strict=True) if names]
    if not changes and reasons:
        return None
    was, now_passed = _style_text(old), _style_text(new)
    text = f"The call passes its arguments in another way: {was} became {now_passed}."
    if len(changes) == 1:
        (alone, same_values), argument_names = changes[0]
        text = (alone if reasons else same_values).format(names=names_text(argument_names))
    argument = next(iter(moved + unmoved + added + left_out), None)
    cure = "Pass the same arguments by keyword in every call: a call with other keywords needs its own cache entry."
    if not moved and not unmoved and changes:
        names = names_text(added + left_out)
        cure = f"Pass {names} in every call or in no call: the cache key holds which arguments a call passes."
    return Reason("call_style", text, argument, was, now_passed, cure)


def passed_differently(old: Key, new: Key) -> int:
    """Return the number of arguments that two calls pass in different ways: by position, by keyword or not at all."""
    ways = [{(name, name in key.keywords) for name in passed(key)} for key in (old, new)]
    return len({name for name, _ in ways[0] ^ ways[1]})


# Sentences on how a call passes arguments unlike the earlier call. Each pair has the sentence for calls that also
# differ in other ways, and the sentence for calls that differ in nothing else.
_WAYS = (
    (
        "The call passes {names} by keyword, not by position.",
        "The call passes {names} by keyword, not by position; the types and the static values are the same.",
    ),
    (
        "The call passes {names} by position, not by keyword.",
        "The call passes {names} by position, not by keyword; the types and the static values are the same.",
    ),
    ("The call passes {names}, which the earlier call left out: the value is the default.",) * 2,
    ("The call leaves out {names}, which the earlier call passed: the value is the default.",) * 2,
)


def _style_text(key: Key) -> str:
    positional = f"{key.positional} by position"
    return f"{positional}, {', '.join(key.keywords)} by keyword" if key.keywords else positional


def _argument_trees(key: Key) -> dict[str, Any]:
    """Return {parameter name: pytree structure} for the dynamic arguments of a call."""
    positional, keywords = key.treedef.children()
    trees = [*positional.children(), *keywords.children()]
    dynamic_positional = len(positional.children())
    keyword_names = sorted(name for name in key.keywords if name not in key.statics)
    names = [*key.names[:dynamic_positional], *keyword_names]
    return dict(zip(names, trees, strict=False))
