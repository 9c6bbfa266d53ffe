"""Makes a copy of a document that has only some of its programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ..types.document import Scope, Snapshot

_OF_PROGRAMS = ("costs", "timings", "shardings", "passes", "exact_links", "raised_calls")


def with_programs(document: Snapshot, kept: Sequence[int]) -> Snapshot:
    """Return the document with only the programs `kept`, and with their cards, costs, times, recordings and notes.

    The indices of scopes do not change; a scope that no kept program uses becomes empty. The pools are not shortened.

    Args:
        document: A document without diffs. Transforms and their derived programs are removed.
        kept: The indices of the programs to keep, with `document.focus`, in the order of the programs.
    """
    number = {old: new for new, old in enumerate(kept)}
    cards = [index for index, card in enumerate(document.control_flow) if card.program in number]
    card_number = {old: new for new, old in enumerate(cards)}

    def of_kept(rows: Sequence[Any]) -> list[Any]:
        return [msgspec.structs.replace(row, program=number[row.program]) for row in rows if row.program in number]

    changed: dict[str, Any] = {name: of_kept(getattr(document, name)) for name in _OF_PROGRAMS}
    changed["costs"] = [
        msgspec.structs.replace(cost, recordings=[card_number[card] for card in cost.recordings if card in card_number])
        for cost in changed["costs"]
    ]
    changed["control_flow"] = [
        msgspec.structs.replace(card, parent=card_number.get(card.parent, -1))
        for card in of_kept(document.control_flow)
    ]
    changed["recordings"] = [
        msgspec.structs.replace(recording, control=card_number[recording.control])
        for recording in document.recordings
        if recording.control in card_number
    ]
    changed["notes"] = [
        msgspec.structs.replace(note, program=number.get(note.program, -1))
        for note in document.notes
        if note.program in number or note.program < 0
    ]
    if document.comparison is not None:
        variants = [
            msgspec.structs.replace(variant, program=number.get(variant.program, -1))
            for variant in document.comparison.variants
        ]
        changed["comparison"] = msgspec.structs.replace(document.comparison, variants=variants)
    reached = _reached(document, kept)
    changed["named_values"] = [value for value in document.named_values if value.scope in reached]
    return msgspec.structs.replace(
        document,
        programs=[document.programs[index] for index in kept],
        focus=number.get(document.focus, -1),
        transforms=[],
        scopes=[scope if index in reached else _emptied(scope) for index, scope in enumerate(document.scopes)],
        **changed,
    )


def _reached(document: Snapshot, kept: Sequence[int]) -> set[int]:
    """Return the indices of the scopes that the kept programs use."""
    reached: set[int] = set()
    left = [document.programs[index].scope for index in kept]
    while left:
        scope = left.pop()
        if scope not in reached:
            reached.add(scope)
            left += [child.scope for child in document.scopes[scope].children]
    return reached


def _emptied(scope: Scope) -> Scope:
    return msgspec.structs.replace(
        scope,
        name=-1,
        constants=0,
        inputs=0,
        outputs=[],
        count=0,
        total=0,
        variable_avals=[],
        dropped=[],
        names=None,
        primitive=[],
        operands=[],
        output_counts=[],
        parameters=[],
        stack=[],
        name_stack=[],
        children=[],
        effects=[],
    )
