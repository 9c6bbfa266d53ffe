"""Appends programs that JAX derived from a program of a run to the document of the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ..document.types.document import Snapshot
from ..interruptions import not_of_a_signal
from ..observe.observation import ObservedFunction
from ..program.control_flow import ControlPath
from ..program.jaxpr.walk import Walk
from .control_flow_cards import read_control_flow
from .notes.parts_of_notes import failure_notes
from .programs import pools_from_jaxprs
from .programs.programs_of_run import PAGE, ProgramBuilder

_NO_VALUES = "This derived program has types but no values, so the stepper cannot run. Step through {name} instead."


class WithDerived(NamedTuple):
    """A document with derived programs, and the paths to the control-flow constructs in these programs."""

    document: Snapshot
    control_paths: tuple[ControlPath, ...]


def with_derived(
    document: Snapshot, walk: Walk, cell_file: str | None, original: int, functions: Sequence[ObservedFunction]
) -> WithDerived:
    """Return a document with derived programs added; the counts in its summary do not include them.

    Args:
        document: The document of the run.
        walk: The `Walk` that has read the equations of the run's programs.
        cell_file: The file name of the cell that ran.
        original: The index of the program that JAX derived the functions from; the functions get the definition of
            this program.
        functions: The derived functions, each with one program.
    """
    sent = sum(program.equations if program.complete else PAGE for program in document.programs)
    builder = ProgramBuilder(walk, document.naming, list(document.scopes), sent)
    definition = document.programs[original].definition
    try:
        added = [
            msgspec.structs.replace(builder.program(function, function.programs[0]), definition=definition)
            for function in functions
        ]
    except not_of_a_signal(Exception):
        walk.forget(len(document.scopes))
        raise
    first, failures = len(document.programs), list[str]()
    cards = read_control_flow(walk, added, failures.append, before=first, cards_before=len(document.control_flow))
    why = _NO_VALUES.format(name=document.programs[original].name)
    controls = [msgspec.structs.replace(card, steppable=card.steppable or why) for card in cards.controls]
    with_added = msgspec.structs.replace(
        document,
        programs=[*document.programs, *added],
        scopes=builder.scopes,
        control_flow=[*document.control_flow, *controls],
        notes=[*document.notes, *cards.notes, *failure_notes(failures)],
        **pools_from_jaxprs.of_walk(walk, cell_file).fields(),
    )
    return WithDerived(with_added, tuple(cards.paths))
