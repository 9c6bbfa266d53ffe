"""Writes the notes of a document: each note has a text, a cure, and the source lines that the note is about."""

from __future__ import annotations

import ast
import os
import traceback
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..document.types.cures import Cure, Edit
from ..document.types.document import Note, Program, Retrace
from ..explain.loops.statements import frame_span, loops_of, node_span
from ..explain.loops.unrolled_loops import UnrolledLoop, UnrolledLoops
from ..explain.notes.random_keys_between_calls import EQUAL_NUMBERS, KEY_USED_TWICE, SPLIT_KEY, SPLITS_USE_KEYS
from ..interruptions import not_of_a_signal
from ..joined_names import in_a_sentence
from ..observe.observation import (
    EagerCompile,
    Finding,
    FoundCure,
    Observation,
    Place,
    Printed,
    StageTimes,
)
from ..observe.observation import Edit as FoundEdit
from ..observe.own_traces.question_before_trace import Retrace as RetraceOffer
from ..observe.report_to_developers import REPORT, REPORT_WITH_DETAILS
from ..program.jaxpr.scope_columns import Captured, ScopeColumns
from ..program.jaxpr.walk import Walk
from ..program.random_key_use import KeyUse, KeyUses
from ..quantities import count, duration, size
from .note_edits_to_try import FramedNote

#: A captured constant of more bytes than this gets a note.
CAPTURED_ABOVE = 1_000
#: If JAX compiled at least this many small programs for eager operations, the run gets a note on them. One compile
#: alone is no reason for a note, because a jitted function needs one, too.
EAGER_KERNELS = 5
#: (definition of a program's function, place of its call, stage times, whether JAX traced the program to the end). Only
#: a completely traced program gets notes on unrolled loops; a recording, for example, has no trace.
LoopPlaces = tuple[Place | None, Place | None, StageTimes | None, bool]


class NotedLoop(NamedTuple):
    """A Python loop that a trace unrolled.

    Attributes:
        note: The note on the loop.
        loop: The loop, with a rewrite such as `lax.fori_loop` if one is known.
        programs: The indices of the programs that have equations of the loop.
    """

    note: Note
    loop: UnrolledLoop
    programs: tuple[int, ...]


def frame_of(walk: Walk, place: Place | None) -> int:
    """Return the index of the frame for a place in the source; -1 if `place` is None."""
    if place is None:
        return -1
    if place.column >= 0:
        source = walk.positions.source_file(place.file)
        return walk.positions.frame(source, place.function, place.line, place.column, place.end_line, place.end_column)
    return walk.positions.line(place.file, place.line, place.function)


def printed_notes(walk: Walk, printed: Sequence[Printed], programs: Sequence[Program]) -> list[Note]:
    """Return the notes on text that Python printed while JAX traced functions."""
    notes = []
    for text in printed:
        sentence, cure = (_PRINTED_TRACERS, _PRINT) if shows_tracers(text) else (_PRINTED, _PRINT_OF_ARGUMENTS)
        notes.append(
            Note(
                kind="printed_while_tracing",
                text=sentence.format(function=text.function),
                cure=cure.format(function=text.function),
                detail=text.text,
                program=_program_of(text.function, programs),
                frame=frame_of(walk, text.place),
                bytes=None,
            )
        )
    return notes


def shows_tracers(printed: Printed) -> bool:
    """Return whether a printed text has a tracer in place of a value.

    Other values, such as a time or a shape, stay as they were at the trace, also where `jax.debug.print` prints them.
    """
    return "Tracer" in printed.text or "Traced<" in printed.text


_PRINTED_TRACERS = (
    "{function} printed while JAX traced {function}. Python's print runs once for each trace, not for each call, and "
    "shows tracers in place of values."
)
_PRINTED = "{function} printed while JAX traced {function}. Python's print runs once for each trace, not for each call."
_PRINT = "To print values at every call, use jax.debug.print."
_PRINT_OF_ARGUMENTS = (
    "To print at every call, use jax.debug.print for values that {function} computes from its arguments. Other values "
    "stay as they were at the trace."
)


def finding_notes(walk: Walk, findings: Sequence[Finding], programs: Sequence[Program]) -> list[Note]:
    """Convert the findings of the observer to notes."""
    return [
        Note(
            kind=finding.kind,
            text=finding.text,
            cure=finding.cure,
            detail=finding.detail,
            program=_program_of(finding.function, programs),
            frame=frame_of(walk, finding.place),
            bytes=None,
            title=finding.title,
            cures=[cure_document(walk, cure) for cure in finding.cures],
        )
        for finding in findings
    ]


def cure_document(walk: Walk, cure: FoundCure) -> Cure:
    """Convert a cure to its struct in the document; the frames of its edits are added to the pools of the `Walk`."""
    edits = edit_documents(walk, cure.edits)
    return Cure(name=cure.name, code=cure.code, text=cure.text, level=cure.level, edits=edits)


def edit_documents(walk: Walk, edits: Sequence[FoundEdit]) -> list[Edit]:
    """Convert edits to their structs in the document; their frames are added to the pools of the `Walk`."""
    return [Edit(frame=frame_of(walk, edit.place), text=edit.text) for edit in edits]


def retrace_document(walk: Walk, offer: RetraceOffer | None) -> Retrace | None:
    """Convert the offer to trace the last call to its struct in the document; None if there is no offer."""
    if offer is None:
        return None
    effect = offer.effect
    place = Place(effect.file, effect.line, effect.function) if effect.line else None
    return Retrace(
        call=offer.text, frame=frame_of(walk, place), question=offer.question, undoable=not offer.allows_effects
    )


def _program_of(function: str | None, programs: Sequence[Program]) -> int:
    """Return the index of the first program of a function; -1 if it has no program."""
    return next((index for index, program in enumerate(programs) if program.name == function), -1)


def captured_notes(walk: Walk, programs: Sequence[Program]) -> list[Note]:
    """Return the notes on large arrays that are constants of programs, one note for each array."""
    captures: dict[tuple[int, int], tuple[ScopeColumns, Captured, list[int]]] = {}
    for index, program in enumerate(programs):
        visited: set[int] = set()
        for number in inside(walk, program.scope):
            columns = walk.scopes[number]
            for captured in columns.captured:
                if captured.bytes <= CAPTURED_ABOVE or captured.identity in visited:
                    continue
                visited.add(captured.identity)
                key = (captured.identity, _first_use(walk, columns, captured.operand))
                captures.setdefault(key, (columns, captured, []))[2].append(index)
    return [
        _captured_note(walk, columns, captured, frame, among, programs)
        for (_, frame), (columns, captured, among) in captures.items()
    ]


def _captured_note(
    walk: Walk, columns: ScopeColumns, captured: Captured, frame: int, among: list[int], programs: Sequence[Program]
) -> Note:
    type_of_array = walk.avals[columns.variable_avals[captured.operand]].text
    programs_text = _named(among, programs) if len(among) > 1 else "the program"
    return Note(
        kind="captured_constant",
        text=(
            f"The function reads an array of {size(captured.bytes)} ({type_of_array}) that is not an argument, so the "
            f"array is a constant of {programs_text}. After an assignment to the array's variable, calls that reuse "
            "the program still compute with the old array."
        ),
        cure="Pass the array as an argument.",
        detail=None,
        program=among[0] if len(among) == 1 else -1,
        frame=frame,
        bytes=captured.bytes,
    )


def _named(among: list[int], programs: Sequence[Program]) -> str:
    """Return the words for some programs: `the programs of f and g`; `3 programs of f and g` if they share names."""
    names = list(dict.fromkeys(programs[index].name for index in among))
    listed = in_a_sentence(names, 5)
    return f"{count(len(among), 'program')} of {listed}" if len(names) < len(among) else f"the programs of {listed}"


def loop_notes(
    walk: Walk, programs: Sequence[Program], places: Sequence[LoopPlaces], failures: list[str]
) -> list[NotedLoop]:
    """Return the notes on unrolled Python loops, one note for each loop, even if several programs contain it.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        programs: The programs of the document.
        places: The place of each program in the user's code, and its times.
        failures: Receives the traceback if a program cannot be checked; the other programs are still checked.
    """
    finder = UnrolledLoops(walk)
    loops_by_key: dict[tuple[object, ...], tuple[UnrolledLoop, list[int]]] = {}
    for index, (program, (definition, call, stages, is_whole)) in enumerate(zip(programs, places, strict=True)):
        if not is_whole:
            continue
        try:
            loops = finder.of(inside(walk, program.scope), definition, call, stages)
        except not_of_a_signal(Exception):
            failures.append(traceback.format_exc())
            continue
        for loop in loops:
            loops_by_key.setdefault(loop.key, (loop, []))[1].append(index)
    noted = []
    for loop, among in loops_by_key.values():
        text = loop.text
        if len(among) > 1:
            read = programs[among[0]]
            types = ", ".join(argument.summary for argument in read.arguments)
            program_of_numbers = f"{read.name} ({types})" if types else "one of these programs"
            programs_with_loop = _named(among, programs)
            text += (
                f" The loop is in {programs_with_loop}. The numbers of iterations and equations in this note are "
                f"those of {program_of_numbers}."
            )
        note = Note(
            kind=loop.kind,
            text=text,
            cure=loop.cure,
            detail=None,
            program=among[0] if len(among) == 1 else -1,
            frame=loop.frame,
            bytes=None,
            repetitions=loop.repetitions,
            carried=loop.carried,
            code=loop.code,
            share=round(loop.share, 4),
            price=loop.price,
            title=loop.title,
            trial=loop.trial,
        )
        noted.append(NotedLoop(note, loop, tuple(among)))
    return noted


def _first_use(walk: Walk, columns: ScopeColumns, operand: int) -> int:
    """Return the user's frame of the first equation that reads a variable and has a frame; -1 if there is none."""
    for operands, stack in zip(columns.operands, columns.stack, strict=True):
        if operand in operands and stack >= 0:
            frames = walk.positions.stacks[stack][0]
            if frames:
                return frames[0]
    return -1


def inside(walk: Walk, scope: int) -> list[int]:
    """Return a scope and all its inner scopes, each once, breadth first."""
    order = [scope]
    scopes = {scope}
    for number in order:
        for *_, child in walk.scopes[number].children:
            if child not in scopes:
                scopes.add(child)
                order.append(child)
    return order


def eager_note(
    walk: Walk, observation: Observation, names_disable_jit: bool = False, files: Collection[str] = ()
) -> list[Note]:
    """Return a note if JAX compiled many programs for operations that it ran one by one.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        observation: The run of the cell.
        names_disable_jit: True if the cell's source turns `jax.disable_jit` on.
        files: The file names under which the code of the cell was compiled.
    """
    compiles = observation.eager_compiles
    if len(compiles) < EAGER_KERNELS:
        return []
    seconds = sum(compiled.seconds for compiled in compiles)
    programs = f"{count(len(compiles), 'small program')} in {duration(seconds)}"
    text = f"JAX compiled {programs} for operations outside any jitted function."
    cure = "Put the operations into a function under @jax.jit: JAX compiles the function once, as one program."
    if observation.without_jit or names_disable_jit:
        text = (
            f"JAX compiled {programs} for operations that it ran one by one. jax.disable_jit was on for calls of this "
            "cell, and a jitted function then runs one operation after the other."
        )
        cure = "Turn jax.disable_jit off: JAX then compiles a jitted function as one program."
    return [
        Note(
            kind="eager_compiles",
            text=text,
            cure=cure,
            detail=_by_line(walk, compiles, files) or None,
            program=-1,
            frame=-1,
            bytes=None,
        )
    ]


def _by_line(walk: Walk, compiles: Sequence[EagerCompile], files: Collection[str]) -> str:
    """Return JAX's names of small programs, such as _reduce_sum, by line: the user knows the line, not these names."""
    lines: dict[tuple[str, int], dict[str, None]] = {}
    for compiled in compiles:
        if compiled.name:
            at = ("", 0) if compiled.place is None else (compiled.place.file, compiled.place.line)
            lines.setdefault(at, {})[compiled.name] = None
    texts = []
    for (file, line), names in sorted(lines.items(), key=lambda item: (item[0][0] not in files, item[0])):
        place = f"line {line}" if file in files else f"line {line} of {_file_name(walk, file)}"
        texts.append(f"{place}: {', '.join(names)}" if line else ", ".join(names))
    return "; ".join(texts)


def _file_name(walk: Walk, file: str) -> str:
    source = walk.positions.source_file(file)
    if source.kind != "cell":
        return os.path.basename(file)
    return "another cell" if source.execution_count is None else f"cell [{source.execution_count}]"


def failure_notes(failures: Sequence[str]) -> list[Note]:
    """Return the notes on errors of this extension itself, with their tracebacks."""
    return [
        Note(
            kind="failed",
            text="jupyter_jaxpr failed on a part of this run; the cell itself ran as always.",
            cure=REPORT_WITH_DETAILS,
            detail=failure,
            program=-1,
            frame=-1,
            bytes=None,
        )
        for failure in failures
    ]


def undescribed_note(part_of_run: str, could_not_be_described: str, detail: str | None = None) -> Note:
    """Return a note which says that a part of the run could not be described.

    Args:
        part_of_run: The name of the part, which begins the sentence.
        could_not_be_described: The rest of the sentence: that the part could not be described, and the reason.
        detail: The traceback.
    """
    return Note(
        kind="failed",
        text=f"{part_of_run} {could_not_be_described}. The rest of the run is complete; the cell itself ran as always.",
        cure=REPORT_WITH_DETAILS if detail else REPORT,
        detail=detail,
        program=-1,
        frame=-1,
        bytes=None,
    )


def in_line_order(walk: Walk, notes: Sequence[Note], cell_file: str | None) -> list[Note]:
    """Sort notes by their line in the cell; notes without a line in the cell come last, in their given order."""

    def key(note: Note) -> tuple[int, int]:
        if note.frame >= 0:
            file, _, line, *_ = walk.positions.frames[note.frame]
            if walk.positions.files[file].name == cell_file:
                return 0, line
        return 1, 0

    return sorted(notes, key=key)


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


def on_other_lines(walk: Walk, some_notes: Sequence[Note], others: Sequence[Note]) -> list[Note]:
    """Leave out the notes on lines with a note of `others`, so that the user never applies two cures for one fault."""
    rows = walk.positions.frames
    lines = {(rows[note.frame][0], rows[note.frame][2]) for note in others if note.frame >= 0}
    return [note for note in some_notes if (rows[note.frame][0], rows[note.frame][2]) not in lines]


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
                if min(first, second) >= 0:
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
    of_other_file = "" if file == other_file else f" of {_file_name(walk, walk.positions.files[file].name)}"
    lines = f"Line {line}{of_other_file} and line {other_line}"
    return f"{_TWICE.format(line_and_other_line=lines)} {EQUAL_NUMBERS}"


def user_frame(walk: Walk, scope: int, equation: int) -> int:
    """Return the innermost user frame of an equation; -1 if it has none."""
    frames = user_frames(walk, scope, equation)
    return frames[0] if frames else -1


def user_frames(walk: Walk, scope: int, equation: int) -> Sequence[int]:
    """Return the user frames of an equation, innermost first."""
    stack = walk.scopes[scope].stack[equation]
    return walk.positions.stacks[stack][0] if stack >= 0 else []
