"""Prints a document's control-flow cards for the exports: a row, the values, branches and facts of each construct."""

from __future__ import annotations

from dataclasses import dataclass

from ..document.control_constructs import CONTROL_KINDS
from ..document.read.recorded_step_counts import steps_range
from ..document.sentences.cost_tab_sentences import place
from ..document.types.control_flow import Control
from ..document.types.document import Snapshot
from ..quantities import NO_BREAK, UNKNOWN, count

HEAD = ("construct", "line", "inside", "steps", "decided by")
_LOOP = ("role", "leaf", "type in one step", "type in all steps")
_BRANCHES = ("role", "leaf", "type")
# At most this many constructs of a document are listed.
_CARDS = 40
# At most this many values of one construct are listed.
_VALUES = 40


@dataclass(frozen=True)
class CardText:
    """The card of one construct as text."""

    title: str  # the name and the line of the construct, such as `scan step, line 10`.
    head: tuple[str, ...]  # `head` has the column headings of the table `values`
    values: list[tuple[str, ...]]
    branches: list[str]
    facts: list[str]


@dataclass(frozen=True)
class ControlFlowText:
    """The control flow of a document as text."""

    rows: list[tuple[str, ...]]  # a row of cells for each construct, with the column headings in HEAD
    cards: list[CardText]
    left_out: str | None


def control_flow_text(document: Snapshot) -> ControlFlowText | None:
    """Return the control flow of the program in focus as text; None if it has no control flow."""
    cards = [
        index
        for index, card in enumerate(document.control_flow)
        if card.program == document.focus and card.kind in CONTROL_KINDS
    ]
    if not cards:
        return None
    listed = cards[:_CARDS]
    left_out_count = len(cards) - len(listed)
    return ControlFlowText(
        rows=[_row(document, index) for index in listed],
        cards=[_card(document, card) for card in map(document.control_flow.__getitem__, listed) if not card.library],
        left_out=f"The list leaves out {count(left_out_count, 'more construct')} of the program."
        if left_out_count
        else None,
    )


def _name(card: Control) -> str:
    return f"{card.kind} {card.title}".rstrip()


def _line(document: Snapshot, card: Control) -> str:
    return place(document, card.frame) if 0 <= card.frame < len(document.frames) else UNKNOWN


def _recorded(document: Snapshot, index: int) -> str:
    """Return the number of steps in the recorded run, for a loop whose number of steps only a run shows."""
    recording = next((candidate for candidate in document.recordings if candidate.control == index), None)
    steps = None if recording is None else steps_range(recording)
    if steps is None:
        return UNKNOWN
    least, largest = steps
    steps_text = count(largest, "step")
    return f"{steps_text} in the recorded run" if least == largest else f"{least:,} to {steps_text} in the recorded run"


def _row(document: Snapshot, index: int) -> tuple[str, ...]:
    card = document.control_flow[index]
    parent, part = card.parent, card.parent_part
    while parent >= 0 and document.control_flow[parent].kind not in CONTROL_KINDS:
        part, parent = document.control_flow[parent].parent_part, document.control_flow[parent].parent
    around = f"{part} of {_name(document.control_flow[parent])}" if parent >= 0 else ""
    steps = _recorded(document, index) if card.trips is None else f"{card.trips:,}"
    if card.branches or card.kind == "associative_scan":
        steps = ""
    name = _name(card) if card.library is None else f"{_name(card)} by {card.library}"
    decided = card.predicate_text if card.branches else card.condition_text
    return name, _line(document, card), around, steps, decided or ""


def _card(document: Snapshot, card: Control) -> CardText:
    def types(number: int) -> str:
        return document.avals[number].text

    values: list[tuple[str, ...]] = []
    for slot in card.slots[:_VALUES]:
        step, full_type, out = types(slot.step), types(slot.whole), types(slot.out)
        if out != step:
            step = f"{step} → {out}"
        in_all = () if card.branches else ("same" if full_type == types(slot.step) else full_type,)
        values.append((slot.role, slot.path, step, *in_all))
    head = _BRANCHES if card.branches else _LOOP
    left_out_count = len(card.slots) - len(values)
    if left_out_count > 0:
        values.append((count(left_out_count, "more value"), *("" for _ in head[1:])))
    branches = [
        " · ".join(filter(None, (branch.label, branch.name, count(branch.equations, "equation"))))
        for branch in card.branches
    ]
    title = f"{_name(card)}, line{NO_BREAK}{_line(document, card)}"
    return CardText(title=title, head=head, values=values, branches=branches, facts=list(card.facts))
