"""Writes findings on calls of a jitted function that get the same random key again and again, and draw from the key.

There is no finding if the cell, or a function that makes the calls, reads a clock or compares values, because such a
call may be repeated on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...observe.calls.calls_with_same_key import CallsWithSameKey, SameKey, is_key_type
from ...observe.observation import Finding
from ...program.jaxpr.parameters import open_jaxpr
from ...program.random_key_use import use_of_input
from .random_keys_in_source_code import (
    EQUAL_NUMBERS,
    KEY_USED_TWICE,
    compares_results,
    is_comparing,
    parsed_cell,
    reads_clock,
)

_TEXT = "Line {line} calls {function} {times} with the same random key, {name}, and {function} uses this key."
_EQUAL = "All other arguments of these calls are the same, too, so the calls compute equal results."
_STEPS = "A call goes on with a result of the call before, and uses the same random numbers again."
_CURE = "Pass another key in each call, such as jax.random.fold_in(key, i) with the number i of the call."


def keys_at_calls(calls: CallsWithSameKey, source: str, known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield a finding for each line whose calls of a function get the same key and draw from the key.

    Args:
        calls: The calls that got the same key.
        source: The source code of the cell.
        known: The findings so far; a line that has a finding on a key gets no second one.
    """
    tree = parsed_cell(source)
    if tree is None or reads_clock(source) or compares_results(tree):
        return
    lines = {
        (finding.place.file, finding.place.line)
        for finding in known
        if finding.kind == "key_used_twice" and finding.place is not None
    }
    for same in calls.found():
        is_on_purpose = reads_clock(" ".join(same.codes)) or is_comparing(same.codes)
        name = None if is_on_purpose else _drawn_from(same)
        if name is None or (same.place.file, same.place.line) in lines:
            continue
        lines.add((same.place.file, same.place.line))
        times = f"{same.times} times" if same.is_exact else f"at least {same.times} times"
        text = _TEXT.format(line=same.place.line, function=same.record.name, times=times, name=name)
        relation = f"{_STEPS} {EQUAL_NUMBERS}" if same.is_next else _EQUAL
        yield Finding("key_used_twice", f"{text} {relation}", cure=_CURE, place=same.place, title=KEY_USED_TWICE)


def _drawn_from(same: SameKey) -> str | None:
    """Return the argument that holds the key, if all programs of the function draw from the key; else None."""
    found = {_name_of_drawn(program.jaxpr, same) for program in same.record.programs.values()}
    return found.pop() if len(found) == 1 else None


def _name_of_drawn(jaxpr: Any, same: SameKey) -> str | None:
    opened = open_jaxpr(jaxpr)
    if opened is None:
        return None
    keys = [place for place, variable in enumerate(opened.invars) if is_key_type(variable.aval)]
    names = getattr(opened.debug_info, "arg_names", None) or ()
    if len(keys) != same.keys or len(names) != len(opened.invars):
        return None
    use = use_of_input(opened, keys[same.key])
    # Models that are made of one key may start from the same numbers on purpose: a split alone draws nothing.
    draws = use.shapes or use.draws_from_parts or (use.splits and same.is_next)
    return str(names[keys[same.key]]) if draws else None
