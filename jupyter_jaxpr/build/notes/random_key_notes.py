"""Writes the notes on random keys from which a program draws twice."""

from __future__ import annotations

import ast
import traceback
from collections import Counter
from collections.abc import Sequence

from ...document.types.document import Note, Program
from ...explain.loops.kinds_of_python_loops import frame_span, loops_of, node_span
from ...explain.notes.random_keys_in_source_code import (
    EQUAL_NUMBERS,
    KEY_USED_TWICE,
    SPLIT_KEY,
    SPLITS_USE_KEYS,
    compares_results,
    reads_clock,
)
from ...interruptions import not_of_a_signal
from ...observe.observation import (
    Finding,
)
from ...program.jaxpr.walk import Walk
from ...program.random_key_use import KeyUse, KeyUses
from ..cures.edits_proposed_by_notes import FramedNote
from .places_and_cures_of_notes import file_name, frame_of, inside, user_frames


def without_known_keys(walk: Walk, findings: Sequence[Finding], key_notes: Sequence[Note]) -> list[Finding]:
    """Leave out the findings on random keys that a program's note already reports on the same line."""
    rows = walk.positions.frames
    lines = {rows[note.frame][:2] for note in key_notes if note.frame >= 0}
    return [
        finding
        for finding in findings
        if finding.kind != "key_used_twice"
        or finding.place is None
        or rows[frame_of(walk, finding.place)][:2] not in lines
    ]


def key_notes(walk: Walk, programs: Sequence[Program], failures: list[str]) -> list[FramedNote]:
    """Return the notes on random keys that a program draws from twice, with their frames; one for each pair of lines.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        programs: The programs of the document.
        failures: Receives the traceback if a program cannot be checked; the other programs are still checked.
    """
    uses = KeyUses(walk)
    uses_by_key: dict[tuple[int, int, bool], list[int]] = {}
    split_keys: set[tuple[int, int]] = set()
    for index, program in enumerate(programs):
        try:
            for use in uses.of(inside(walk, program.scope)):
                first, second = _frames_of_use(walk, use)
                if min(first, second) < 0:
                    continue
                if program.origin != "recorded" or not _is_on_purpose(walk, second):
                    uses_by_key.setdefault((first, second, use.first == use.again), []).append(index)
                    if use.splits:
                        split_keys.add((first, second))
        except not_of_a_signal(Exception):
            failures.append(traceback.format_exc())
    notes = []
    told: set[tuple[int, int, int, int, bool]] = set()
    for (first, second, in_each_step), among in uses_by_key.items():
        is_fori = in_each_step and _is_call_of(walk, second, "fori_loop")
        splits = (first, second) in split_keys
        pairs = max(Counter(among).values())
        file, _, line, *_ = walk.positions.frames[second]
        # Several uses on one line after one first use have one note, whose edit changes them all.
        fact = (first, file, line, pairs if first == second else 1, splits)
        if fact in told and not in_each_step:
            continue
        if in_each_step:
            text = _EACH_STEP.format(loop="fori_loop" if is_fori else "scan")
        else:
            told.add(fact)
            text = _used_twice(walk, first, second, pairs)
            text = f"{text} {SPLITS_USE_KEYS}" if splits else text
        note = Note(
            kind="key_used_twice",
            text=text,
            cure=_FOLD_IN if is_fori else _SCAN_KEYS if in_each_step else _SPLIT,
            detail=None,
            program=among[0] if len(set(among)) == 1 else -1,
            frame=second,
            bytes=None,
            title=KEY_USED_TWICE if not in_each_step else "Each step of a scan uses the same random key",
        )
        alike = [
            again_of_pair for begin, again_of_pair, is_step in uses_by_key if (begin, is_step) == (first, in_each_step)
        ]
        # If every step of a loop uses the same key, splitting the key once is no cure: the loop needs a key for each
        # step.
        notes.append(FramedNote(note, () if in_each_step else (first, *alike)))
    return notes


def _frames_of_use(walk: Walk, use: KeyUse) -> tuple[int, int]:
    """Return the frames of two uses of a random key, in the innermost function that contains both; -1 if unknown.

    If a helper draws from a key and is called twice with one key, the mistake is in the two calls, not in the helper.
    If one call in a loop makes both uses, the function with the loop contains both.
    """
    first, second = (user_frames(walk, use.scope, number) for number in (use.first, use.again))
    rows = walk.positions.frames
    if first and first == second:
        looped = next((frame for frame in first if _is_in_loop(walk, frame)), first[0])
        return looped, looped
    for first_frame, again_frame in zip(reversed(first), reversed(second), strict=False):
        if first_frame != again_frame:
            if rows[first_frame][:2] == rows[again_frame][:2]:
                return first_frame, again_frame
            break
    return (first[0] if first else -1), (second[0] if second else -1)


def _is_in_loop(walk: Walk, frame: int) -> bool:
    """Return whether a loop or a comprehension surrounds an expression, in the function of the expression."""
    file, function, *_ = row = walk.positions.frames[frame]
    loops = loops_of(walk.positions.files[file])
    if loops is None:
        return False
    return bool(loops.around([frame_span(row, loops.lines)], walk.strings.items[function]))


def _is_on_purpose(walk: Walk, frame: int) -> bool:
    """Return whether the function of an expression may repeat a call, because it measures times or compares results."""
    file, _, line, *_ = walk.positions.frames[frame]
    loops = loops_of(walk.positions.files[file])
    functions = [] if loops is None else [node for node in ast.walk(loops.module) if isinstance(node, ast.FunctionDef)]
    around = [node for node in functions if node.lineno <= line <= (node.end_lineno or line)]
    return bool(around) and (reads_clock(ast.unparse(around[-1])) or compares_results(around[-1]))


def _is_call_of(walk: Walk, frame: int, name: str) -> bool:
    """Return whether the expression of a frame is a call of a function by this name."""
    row = walk.positions.frames[frame]
    loops = loops_of(walk.positions.files[row[0]])
    if loops is None:
        return False
    span = frame_span(row, loops.lines)
    calls = (node for node in ast.walk(loops.module) if isinstance(node, ast.Call) and node_span(node) == span)
    return any(name == getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls)


_TWICE = "{line_and_other_line} use the same random key."


_ONE_LINE = "Line {line} uses the same random key {times}."


_EACH_STEP = "Each step of this {loop} draws from the same random key, so each step draws the same numbers."


_SPLIT = SPLIT_KEY.format(name="key")


_FOLD_IN = "Draw from another key in each step: key_of_step = jax.random.fold_in(key, i), with the index i of the step."


_SCAN_KEYS = "Split the key before the scan, keys = jax.random.split(key, length), and scan over the keys."


def _used_twice(walk: Walk, first: int, second: int, pairs: int) -> str:
    """Return the text for two uses of a key.

    `pairs` is the number of pairs of uses in one program: n - 1 for one expression that ran n times.
    """
    (file, _, line, *_), (other_file, _, other_line, *_) = walk.positions.frames[first], walk.positions.frames[second]
    if (file, line) == (other_file, other_line):
        times = f"{pairs + 1} times" if first == second and pairs > 1 else "twice"
        return f"{_ONE_LINE.format(line=line, times=times)} {EQUAL_NUMBERS}"
    of_other_file = "" if file == other_file else f" of {file_name(walk, walk.positions.files[file].name)}"
    lines = f"Line {line}{of_other_file} and line {other_line}"
    return f"{_TWICE.format(line_and_other_line=lines)} {EQUAL_NUMBERS}"
