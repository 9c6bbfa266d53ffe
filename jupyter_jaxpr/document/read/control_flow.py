"""Lets scripts read a document's control flow: one object for each construct, its indices looked up.

Named scopes (jit, custom rules, remat) are in the document for the panel; they are no control flow and not here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..facts import CONTROL_KINDS
from ..types.control_flow import Control, Slot
from ..types.document import Snapshot

_ROOT = re.compile(r"[A-Za-z_]\w*")
_PARTS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class BranchCard:
    """A side of a cond or a switch.

    Attributes:
        label: ``"False"``, ``"True"`` or the index, such as ``"0"``.
        name: Of the user's function, such as ``square``; empty when unknown.
        line: Of its def, from 1; None when unknown.
        equations: Of its program, programs inside included.
        flops: Operations of one run, at most; None when unknown.
    """

    label: str
    name: str
    line: int | None
    equations: int
    flops: int | None


@dataclass(frozen=True)
class ControlFlow:
    """A control-flow construct.

    Attributes:
        kind: What the user called: ``cond``, ``switch``, ``scan``, ``while_loop``, ``fori_loop``, ``map``,
            ``associative_scan``.
        primitive: What JAX made of it: ``scan``, ``while``, ``cond``, ``select_n``; empty where it left none.
        name: The user's name of the body, such as ``step``; empty when unknown.
        program: Index into `Snapshot.programs`.
        line: Of the user's call, from 1; None when unknown.
        file: That the line is in; None when unknown.
        library: No line of the user's called it: a library did.
        called_by: The library function that did, such as ``jnp.median``; None where the user's line called it.
        depth: How many control-flow constructs are around it.
        parent: Index of the construct around it in this tuple; None at the top.
        part: Where in its parent: ``body``, ``condition`` or the label of a branch; empty at the top.
        trips: How many steps it takes; None when that is not known before it runs.
        carry: Path, type in and type out of each leaf that goes around. The index and the bounds of a fori_loop are
            not of the user's carry and not here.
        consts: Path and type of each value that is the same at every step.
        xs: Path, type of one step and type of the whole, of what is cut along its first axis.
        ys: The same of what is stacked.
        operands: Path and type of each value that the branches take.
        results: Path and type of each value that the branches give.
        branches: Of a cond or a switch in the order of the jaxpr, False first; empty for others.
        predicate: The predicate or the index as the user wrote it, such as ``x > 0``; None when unknown.
        condition: Of a while_loop, as the user wrote it; None when unknown.
        lower, upper: The bounds of a fori_loop, numbers or paths as text; None for others.
        reverse: It runs from the last x to the first.
        unroll: Steps of one iteration of the loop that JAX lowers; no loop is left where this is the length or more.
        step_flops: Operations of one step, at most; None when unknown.
        facts: What a person should know of it, sentences.
        choice: The row of the decision table that fits: ``flag``, ``branch``, ``elementwise``, ``short``, ``long``,
            ``open``, ``outputs``; None when none does.
        choice_reason: Why that row fits.
        effects: Of its programs, such as ``Debug``.
        name_stack: Such as ``transpose(jvp())``: tells backward from forward.
    """

    kind: str
    primitive: str
    name: str
    program: int
    line: int | None
    file: str | None
    library: bool
    called_by: str | None
    depth: int
    parent: int | None
    part: str
    trips: int | None
    carry: tuple[tuple[str, str, str], ...]
    consts: tuple[tuple[str, str], ...]
    xs: tuple[tuple[str, str, str], ...]
    ys: tuple[tuple[str, str, str], ...]
    operands: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]
    branches: tuple[BranchCard, ...]
    predicate: str | None
    condition: str | None
    lower: str | None
    upper: str | None
    reverse: bool
    unroll: int
    step_flops: int | None
    facts: tuple[str, ...]
    choice: str | None
    choice_reason: str | None
    effects: tuple[str, ...]
    name_stack: str


def control_flow(document: Snapshot) -> tuple[ControlFlow, ...]:
    """The control flow of all programs, in the order of the source."""
    numbers = {index: number for number, index in enumerate(constructs(document))}
    return tuple(_card(document, index, numbers) for index in numbers)


def constructs(document: Snapshot) -> list[int]:
    """Where the control flow is among the document's cards: named scopes are left out."""
    return [index for index, card in enumerate(document.control_flow) if card.kind in CONTROL_KINDS]


def _card(document: Snapshot, index: int, numbers: dict[int, int]) -> ControlFlow:
    card = document.control_flow[index]
    parent, part = card.parent, card.parent_part
    while parent >= 0 and parent not in numbers:
        part = document.control_flow[parent].parent_part
        parent = document.control_flow[parent].parent
    frame = document.frames[card.frame] if card.frame >= 0 else None

    def typed(role: str) -> tuple[tuple[str, str], ...]:
        return tuple((slot.path, document.avals[slot.step].text) for slot in card.slots if slot.role == role)

    def stacked(role: str) -> tuple[tuple[str, str, str], ...]:
        avals = document.avals
        return tuple(
            (slot.path, avals[slot.step].text, avals[slot.whole].text) for slot in card.slots if slot.role == role
        )

    return ControlFlow(
        kind=card.kind,
        primitive=card.primitive,
        name=card.title,
        program=card.program,
        line=frame.line if frame is not None else None,
        file=document.files[frame.file].path if frame is not None else None,
        library=card.library is not None,
        called_by=card.library,
        depth=card.depth,
        parent=numbers.get(parent),
        part=part if parent >= 0 else "",
        trips=card.trips,
        carry=_carry(document, card),
        consts=tuple(
            (slot.path, document.avals[slot.step].text) for slot in card.slots if slot.role == "const" and not slot.kept
        ),
        xs=stacked("xs"),
        ys=stacked("ys"),
        operands=typed("operand"),
        results=typed("result"),
        branches=tuple(
            BranchCard(
                label=branch.label,
                name=branch.name,
                line=document.frames[branch.frame].line if branch.frame >= 0 else None,
                equations=branch.equations,
                flops=branch.flops,
            )
            for branch in card.branches
        ),
        predicate=card.predicate_text,
        condition=card.condition_text,
        lower=card.lower,
        upper=card.upper,
        reverse=card.reverse,
        unroll=card.unroll,
        step_flops=card.step_flops,
        facts=tuple(card.facts),
        choice=card.choice,
        choice_reason=card.choice_reason,
        effects=tuple(card.effects),
        name_stack=card.name_stack,
    )


def _carry(document: Snapshot, card: Control) -> tuple[tuple[str, str, str], ...]:
    """The user's carry: what goes around, and the leaves that JAX took out as no step changes them."""
    slots = [slot for slot in card.slots if slot.role == "carry"]
    if card.kind == "fori_loop":
        slots = slots[2 if card.primitive == "while" else 1 :]
    kept = [slot for slot in card.slots if slot.kept]
    if kept:
        slots += kept
        if _leaves_of_one(slots):
            slots.sort(key=lambda slot: _natural(slot.path))
    avals = document.avals
    return tuple((slot.path, avals[slot.step].text, avals[slot.out].text) for slot in slots)


def _leaves_of_one(slots: list[Slot]) -> bool:
    """Whether all are leaves of one tree, such as s['a'] and s['b']: then their paths tell their order."""
    roots = [_ROOT.match(slot.path) for slot in slots]
    names = {root.group() if root is not None else "" for root in roots}
    return len(names) == 1 and all(root is not None and root.end() < len(root.string) for root in roots)


def _natural(path: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in _PARTS.split(path)]
