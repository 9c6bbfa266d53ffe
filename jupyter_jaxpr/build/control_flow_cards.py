"""Builds the document's cards of control flow, each with its place in its program."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from ..document.limits import Listed
from ..document.types.control_flow import Branch, Control, Slot
from ..document.types.document import Note, Program
from ..interruptions import not_of_a_signal
from ..jax.constructs_outside_jit import Construct
from ..observe.advice_without_magics import cure
from ..program.control_flow import Card, ControlPath, Reader, known_trips
from ..program.control_flow.sentences_on_cards import UNCHANGED, row_outside_of_jit
from ..program.jaxpr.walk import Walk

#: The largest integer that JavaScript represents exactly.
_LARGEST = 2**53 - 1


@dataclass(frozen=True)
class ControlFlowFound:
    """The control-flow cards of a document, the path to each construct, and notes on constructs without a card."""

    controls: list[Control]
    paths: list[ControlPath]
    notes: list[Note]


def read_control_flow(
    walk: Walk, programs: Sequence[Program], failed: Callable[[str], None], *, before: int = 0, cards_before: int = 0
) -> ControlFlowFound:
    """Build the cards of the control-flow constructs in some programs.

    Args:
        walk: The `Walk` that has read the equations of the programs; the frames of definitions are added to its pools.
        programs: The programs in the order of the document, with the StableHLO and HLO that the document holds.
        failed: Called with the traceback of each construct that could not be read.
        before: The number of programs that come before these in the document.
        cards_before: The number of cards of those earlier programs.
    """
    reader = Reader(walk, failed)
    cards: list[Card] = []
    notes: list[Note] = []
    for number, program in enumerate(programs, before):
        first = cards_before + len(cards)
        read = reader.program(number, program.scope, program.input_names, program.call)
        room = Listed.CARDS_OF_RUN - first
        if read.left_out or len(read.cards) > room:
            notes.append(_left_out(number, program, min(room, Listed.CARDS_OF_PROGRAM)))
        program_cards = read.cards[:room]
        for card in program_cards:
            card.parent += first if card.parent >= 0 else 0
        try:
            hlo = next((level for level in program.levels if level.name == "hlo" and level.text is not None), None)
            if hlo is not None:
                known_trips(program_cards, hlo.text or "", hlo.line_stacks or [], walk.positions)
        # the HLO could not be read, so the cards lack the step counts that the HLO states
        except not_of_a_signal(Exception):
            failed(traceback.format_exc())
        cards += program_cards
    return ControlFlowFound([_control(card) for card in cards], [card.path for card in cards], notes)


def of_eager_construct(card: Control, construct: Construct | None) -> Control:
    """Return the card of a construct outside of jit, with the row of the decision table that fits there.

    Args:
        card: A card.
        construct: The construct that JAX compiled by itself, whose program has the card; None for any other program.
    """
    if construct is None or card.parent >= 0 or card.choice is None:
        return card
    # a transform made the derived construct, so the user did not choose it
    row = None if construct.derived else row_outside_of_jit(card.primitive, card.kind, card.predicate_text)
    if row is UNCHANGED:
        return card
    choice, reason = row or (None, None)
    return msgspec.structs.replace(card, choice=choice, choice_reason=reason)


def _left_out(number: int, program: Program, limit: int) -> Note:
    return Note(
        kind="control_flow_cut",
        text=f"{program.name} has more than {limit} control-flow constructs. Only the first {limit} have a card.",
        cure=cure(
            "Run %jaxpr on the function that holds the other constructs.",
            "Inspect the function that holds the other constructs.",
        ),
        detail=None,
        program=number,
        frame=program.definition,
        bytes=None,
    )


def _control(card: Card) -> Control:
    fields: dict[str, Any] = {name: getattr(card, name) for name in Control.__struct_fields__}
    for name in ("trips", "step_flops"):
        if fields[name] is not None and fields[name] > _LARGEST:
            fields[name] = None
    fields["slots"] = [Slot(**asdict(slot)) for slot in card.slots]
    fields["branches"] = [Branch(**asdict(branch)) for branch in card.branches]
    return msgspec.convert(fields, Control)
