"""Writes the notes on Python loops that JAX unrolled while it traced."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import NamedTuple

from ...document.types.document import Note, Program
from ...explain.loops.unrolled_loops import UnrolledLoop, UnrolledLoops
from ...interruptions import not_of_a_signal
from ...observe.observation import (
    Place,
    StageTimes,
)
from ...program.jaxpr.walk import Walk
from .places_and_cures_of_notes import inside, words_for_programs

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


def loop_notes(
    walk: Walk,
    programs: Sequence[Program],
    places: Sequence[LoopPlaces],
    failures: list[str],
    rewrites: bool = True,
) -> list[NotedLoop]:
    """Return the notes on unrolled Python loops, one note for each loop, even if several programs contain it.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        programs: The programs of the document.
        places: The place of each program in the user's code, and its times.
        failures: Receives the traceback if a program cannot be checked; the other programs are still checked.
        rewrites: True if the notes show the loops as code with `jax.lax`.
    """
    finder = UnrolledLoops(walk, rewrites)
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
            programs_with_loop = words_for_programs(among, programs)
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
