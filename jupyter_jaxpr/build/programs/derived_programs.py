"""Adds to a document the programs that JAX derives from one of its programs by a transform.

JAX only traces the function; it compiles and runs nothing: see `program.transforms`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...document.types.document import Program
from ...document.types.transform import KeptValue, ScopeRoles, Transform, TransformPart
from ...measure.steps.jaxpr_evaluation import types_of
from ...observe.observation import ObservedFunction
from ...program.jaxpr.parameters import open_jaxpr
from ...program.jaxpr.walk import Walk
from ...program.transforms import DerivedPart, Kind, derive, roles_of
from ..notes.parts_of_notes import printed_notes

if TYPE_CHECKING:
    from ...document.types.document import Snapshot
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
