"""Finds calls of the last statement that draw from the same random key, without jit.

The recordings of a call in a comprehension show that each execution got the same arrays and drew from the same key,
whatever the source code looks like: the key may be an argument or, for example, an attribute of an object. Two
different calls have a finding if they draw numbers of different shapes, so that nobody compares the numbers. There is
no finding if the cell reads a clock or compares values, because such a call may be repeated on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...observe.observation import Finding
from ...observe.outside_jit.recorded_calls import RecordedFunction
from ...program.random_key_use import inputs_drawn_from
from .random_keys_in_source_code import COMPARING, EQUAL_NUMBERS, KEY_USED_TWICE, SPLIT_KEY, reads_clock

_TEXT = "Each iteration on line {line} draws from the same random key."
_ONE_LINE = "Two calls of line {line} draw from the same random key."
_TWO_LINES = "Line {first_line} and line {line} draw from the same random key."
_CURE = "Draw from another key in each iteration, such as from a part of jax.random.split(key, n)."


def keys_of_recorded_calls(recorded: Sequence[RecordedFunction], source: str) -> list[Finding]:
    """Return a finding for each call expression whose executions all draw from one key.

    Args:
        recorded: The recorded calls of the cell.
        source: The source code of the cell.
    """
    # a cell that compares its results may repeat a call on purpose
    if reads_clock(source) or COMPARING.search(source) is not None:
        return []
    executions: dict[int, list[RecordedFunction]] = {}
    for call in recorded:
        executions.setdefault(call.call, []).append(call)
    findings = [_finding(calls[0]) for calls in executions.values() if len(calls) > 1 and _draw_alike(calls)]
    used: list[tuple[RecordedFunction, Any, frozenset[tuple[int, ...]]]] = []
    for call in (calls[0] for calls in executions.values()):
        drawn = inputs_drawn_from(call.function.programs[0].jaxpr)
        keys = [(call.arrays[place], use.shapes) for place, use in drawn.items() if place < len(call.arrays)]
        for key, shapes in keys:
            before = next(
                (first for first, other, other_shapes in used if other is key and not shapes & other_shapes), None
            )
            if before is not None and shapes and key is not None:
                findings.append(_of_two(before, call))
        used += [(call, key, shapes) for key, shapes in keys if shapes]
    return findings


def _draw_alike(calls: Sequence[RecordedFunction]) -> bool:
    """Return whether all executions of a call got equal arguments, and drew from a key among them."""
    if len({(len(call.arrays), len(call.others)) for call in calls}) > 1:
        return False
    for values in zip(*(call.others for call in calls), strict=True):
        if not all(value is values[0] or _are_equal(value, values[0]) for value in values):
            return False
    for arrays in zip(*(call.arrays for call in calls), strict=True):
        # Python keeps one plain weak reference per object. The references are not compared by ==, which would compare
        # the arrays themselves.
        if arrays[0] is None or any(array is not arrays[0] for array in arrays):
            return False
    return all(inputs_drawn_from(call.function.programs[0].jaxpr) for call in calls)


def _are_equal(value: Any, other: Any) -> bool:
    """Return whether two values of a class of Python's own are equal; other classes may have any `__eq__`."""
    return type(value) is type(other) and type(value) in (int, float, bool, str) and value == other


def _of_two(first: RecordedFunction, again: RecordedFunction) -> Finding:
    places = first.function.programs[0].call, again.function.programs[0].call
    first_line, line = (0 if place is None else place.line for place in places)
    text = _ONE_LINE if first_line == line else _TWO_LINES
    return Finding(
        "key_used_twice",
        f"{text.format(first_line=first_line, line=line)} {EQUAL_NUMBERS}",
        cure=SPLIT_KEY.format(name="key"),
        place=places[1],
        title=KEY_USED_TWICE,
    )


def _finding(call: RecordedFunction) -> Finding:
    place = call.function.programs[0].call
    line = 0 if place is None else place.line
    return Finding(
        "key_used_twice", f"{_TEXT.format(line=line)} {EQUAL_NUMBERS}", cure=_CURE, place=place, title=KEY_USED_TWICE
    )
