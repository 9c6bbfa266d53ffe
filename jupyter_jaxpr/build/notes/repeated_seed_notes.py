"""Writes notes on Python loops that make a random key of the same seed in each iteration, and draw from the key.

Equal keys may be intended, as in a loop over settings that starts each training from the same numbers. So there is a
note only where nothing tells the iterations apart: the code of the loop does not read the loop's variable, and the
code reads no clock.
"""

from __future__ import annotations

import ast
import traceback
from collections import Counter
from collections.abc import Sequence

from ...document.types.document import Note, Program
from ...explain.loops.kinds_of_python_loops import COMPREHENSIONS, LoopStatement, frame_span, loops_of, source_text
from ...explain.notes.random_keys_in_source_code import COMPARING, reads_clock
from ...interruptions import not_of_a_signal
from ...observe.observation import ObservedProgram
from ...program.jaxpr.walk import Walk
from ...program.random_key_use import KeyUses, SeedUses
from .places_and_cures_of_notes import inside, user_frames

_TITLE = "Iterations make the same random key"
_TEXT = (
    "Iterations of the {loop} on line {line} make a key of the seed {seed} and draw from the key. Keys of one seed are "
    "equal: draws of the same shape and distribution give equal numbers."
)
_CURE = "Make the key before the loop, and split the key in each iteration: key, subkey = jax.random.split(key)."


def seed_notes(
    walk: Walk, programs: Sequence[Program], all_observed: Sequence[ObservedProgram], failures: list[str]
) -> list[Note]:
    """Return the notes on loops whose iterations draw from equal keys, one for each expression that draws.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        programs: The programs of the document.
        all_observed: JAX's own objects of these programs.
        failures: Receives the traceback if a program cannot be checked; the other programs are still checked.
    """
    uses = KeyUses(walk)
    notes: dict[int, Note] = {}
    for index, (program, observed) in enumerate(zip(programs, all_observed, strict=False)):
        try:
            for use in uses.of_seeds(inside(walk, program.scope), observed.numbers):
                for frame, note in _notes(walk, index, use):
                    notes.setdefault(frame, note)
        except not_of_a_signal(Exception):
            failures.append(traceback.format_exc())
    return list(notes.values())


def _notes(walk: Walk, program: int, use: SeedUses) -> list[tuple[int, Note]]:
    # Equations of one call stack were made by one expression that ran several times: in a loop.
    times = Counter(walk.scopes[use.scope].stack[equation] for equation in use.equations)
    first = {walk.scopes[use.scope].stack[equation]: equation for equation in reversed(use.equations)}
    found = []
    for stack, draws in times.items():
        frames = user_frames(walk, use.scope, first[stack])
        looped = next(((frame, loop) for frame in frames if (loop := _loop_around(walk, frame)) is not None), None)
        if draws < 2 or looped is None or not _is_alike(looped[1]):
            continue
        frame, loop = looped
        text = source_text(walk.positions.files[walk.positions.frames[frame][0]]) or ""
        if reads_clock(text) or COMPARING.search(text) is not None:
            continue
        note = Note(
            kind="key_used_twice",
            text=_TEXT.format(loop=loop.word, line=loop.line, seed=use.seed),
            cure=_CURE,
            detail=None,
            program=program,
            frame=frames[0],
            bytes=None,
            title=_TITLE,
        )
        found.append((frames[0], note))
    return found


def _loop_around(walk: Walk, frame: int) -> LoopStatement | None:
    """Return the innermost loop or comprehension around an expression, in the function of the expression."""
    file, function, *_ = row = walk.positions.frames[frame]
    loops = loops_of(walk.positions.files[file])
    if loops is None:
        return None
    return next(iter(loops.around([frame_span(row, loops.lines)], walk.strings.items[function])), None)


def _is_alike(loop: LoopStatement) -> bool:
    """Return whether the code of a loop does not read the variable of the loop."""
    node = loop.node
    targets: list[ast.expr]
    parts: list[ast.AST]
    if isinstance(node, ast.For):
        targets, parts = [node.target], [*node.body]
    elif isinstance(node, COMPREHENSIONS) and len(node.generators) == 1 and not isinstance(node, ast.DictComp):
        targets, parts = [node.generators[0].target], [node.elt, *node.generators[0].ifs]
    else:
        return False
    names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    read = {name.id for part in parts for name in ast.walk(part) if isinstance(name, ast.Name)}
    return not names & read
