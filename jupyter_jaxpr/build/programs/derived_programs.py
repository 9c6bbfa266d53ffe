"""Adds to a document the programs that JAX derives from one of its programs by a transform.

JAX only traces the function; it compiles and runs nothing: see `program.transforms`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...document.limits import Sent
from ...document.sentences.missing_part_sentences import NO_VALUES_OF_DERIVED
from ...document.types.document import Program, Snapshot
from ...document.types.transform import KeptValue, ScopeRoles, Transform, TransformPart
from ...interruptions import not_of_a_signal
from ...measure.steps.jaxpr_evaluation import types_of
from ...observe.observation import ObservedFunction
from ...program.control_flow import ControlPath
from ...program.jaxpr.parameters import open_jaxpr
from ...program.jaxpr.walk import Walk
from ...program.transforms import DerivedPart, Kind, derive, roles_of
from ..control_flow_cards import read_control_flow
from ..notes.failure_notes import failure_notes
from ..notes.print_while_tracing_notes import printed_notes
from . import pools_from_jaxprs
from .programs_of_run import ProgramBuilder

if TYPE_CHECKING:
    from ...observe.observer import Observer
    from ..sources_of_requests import Sources


def transform_program(observer: Observer, sources: Sources, program: int, kind: Kind) -> Snapshot:
    """Add the program that JAX derives by a transform to the document; if JAX refuses, add a sentence with the reason.

    Args:
        observer: The observer; it ignores the calls that JAX makes for the transform.
        sources: The live sources of the run, with its document.
        program: The index of the program in the document.
        kind: The transform.

    Raises:
        IndexError: The document has no such program.
    """
    document = sources.document
    if any(transform.kind == kind and transform.of == program for transform in document.transforms):
        return document
    name, observed = document.programs[program].name, sources.observed(program)
    with observer.looking_away(), types_of(open_jaxpr(observed.jaxpr)):
        derived = derive(name, observed, kind)
    added = sources.add_derived(
        program,
        [ObservedFunction(name=part.name, definition=None, programs=[part.program]) for part in derived.parts],
    )
    programs = sources.document.programs
    transform = Transform(
        kind=kind,
        of=program,
        words=derived.words,
        error=derived.error,
        parts=[
            _part(sources.walk, number, programs[number], kind, part)
            for number, part in zip(added, derived.parts, strict=True)
        ],
    )
    printed = printed_notes(sources.walk, derived.printed, [programs[program]])
    return sources.add_transform(transform, printed)


def transform_focus(observer: Observer, sources: Sources, kinds: Sequence[Kind]) -> Snapshot:
    """Derive a program from the program that the panel shows, by each transform that `--transform` names."""
    focus = sources.document.focus
    for kind in kinds if focus >= 0 else ():
        transform_program(observer, sources, focus, kind)
    return sources.document


def _part(walk: Walk, number: int, program: Program, kind: Kind, part: DerivedPart) -> TransformPart:
    """Return the struct of a derived program, with the role of each of its equations."""
    roles = roles_of(walk, program.scope, kind, part)
    return TransformPart(
        program=number,
        part=part.part,
        roles=[ScopeRoles(scope=scope, roles=letters) for scope, letters in sorted(roles.letters.items())],
        kept=[
            KeptValue(
                scope=value.scope, equation=value.equation, output=value.output, type=value.type, bytes=value.bytes
            )
            for value in roles.kept
        ],
    )


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
    sent = sum(program.equations if program.complete else Sent.FIRST_PAGE for program in document.programs)
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
    why = NO_VALUES_OF_DERIVED.format(name=document.programs[original].name)
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
