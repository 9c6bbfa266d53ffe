"""Gives scripts one readable object for each control-flow construct of a document.

Named scopes (jit, custom rules, remat) are left out, because they are no control flow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..control_constructs import CONTROL_KINDS
from ..types.control_flow import Control, Slot
from ..types.document import Snapshot

_ROOT = re.compile(r"[A-Za-z_]\w*")
_PARTS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class BranchCard:
    """A branch of a cond or a switch.

    Attributes:
        label: ``"False"``, ``"True"`` or the index, such as ``"0"``.
        name: The name of the user's function, such as ``square``; empty if unknown.
        line: The line of the function's def, from 1; None if unknown.
        equations: The number of equations of the branch's program, with those of inner programs.
        flops: The largest number of operations of one run; None if unknown.
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
        kind: The function that the user called: ``cond``, ``switch``, ``scan``, ``while_loop``, ``fori_loop``, ``map``,
            ``associative_scan``.
        primitive: JAX's primitive: ``scan``, ``while``, ``cond``, ``select_n``; empty if no primitive remains.
        name: The user's name of the body, such as ``step``; empty if unknown.
        program: The index of its program in `Snapshot.programs`.
        line: The line of the user's call, from 1; None where it is unknown.
        file: The file of the line; None where it is unknown.
        library: True if a library called the construct, not a line of the user.
        called_by: The library function that called it, such as ``jnp.median``; None for a call by the user's line.
        depth: The number of control-flow constructs around it.
        parent: The index of the construct around it in this tuple; None at the top.
        part: The part of the parent with the construct: ``body``, ``condition`` or the label of a branch; empty at the
            top.
        trips: The number of steps; None where it is unknown before the run.
        carry: The path, the input type and the output type of each leaf of the carry. The index and the bounds of a
            fori_loop are not part of the user's carry and are left out.
        consts: The path and the type of each value that is the same at every step.
        xs: The path, the type of one step and the whole type of each array that is split along its first axis.
        ys: The path, the type of one step and the whole type of each array into which the steps' outputs are stacked.
        operands: The path and the type of each operand of the branches.
        results: The path and the type of each result of the branches.
        branches: The branches of a cond or a switch in the order of the jaxpr, False first; empty for others.
        predicate: The predicate or the index as the user wrote it, such as ``x > 0``; None where it is unknown.
        condition: The condition of a while_loop, as the user wrote it; None where it is unknown.
        lower, upper: The bounds of a fori_loop, numbers or paths as text; None for others.
        reverse: True if the scan runs from the last x to the first.
        unroll: The number of steps in one iteration of the lowered loop; no loop remains where this is the length or
            more.
        step_flops: The largest number of operations of one step; None where it is unknown.
        facts: Sentences on the construct that a user should know.
        choice: The row of the decision table that fits: ``flag``, ``branch``, ``elementwise``, ``short``, ``long``,
            ``open``, ``outputs``; None without one.
        choice_reason: The reason why that row fits.
        effects: The effects of its programs, such as ``Debug``.
        name_stack: The name stack, such as ``transpose(jvp())``, which distinguishes backward from forward.
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
    """Return the control flow of all programs, in the order of the source."""
    numbers = {index: number for number, index in enumerate(constructs(document))}
    return tuple(_card(document, index, numbers) for index in numbers)


def constructs(document: Snapshot) -> list[int]:
    """Return the indices of the control-flow constructs among the document's cards, without named scopes."""
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
    """Return the leaves of the user's carry.

    These include the leaves that JAX turned into constants because no step changes them.
    """
    slots = [slot for slot in card.slots if slot.role == "carry"]
    if card.kind == "fori_loop":
        slots = slots[2 if card.primitive == "while" else 1 :]
    kept_slots = [slot for slot in card.slots if slot.kept]
    if kept_slots:
        slots += kept_slots
        if _leaves_of_one(slots):
            slots.sort(key=lambda slot: _natural(slot.path))
    avals = document.avals
    return tuple((slot.path, avals[slot.step].text, avals[slot.out].text) for slot in slots)


def _leaves_of_one(slots: list[Slot]) -> bool:
    """Return whether all slots are leaves of one pytree, such as s['a'] and s['b'].

    The paths of such leaves show their order in the pytree.
    """
    roots = [_ROOT.match(slot.path) for slot in slots]
    names = {root.group() if root is not None else "" for root in roots}
    return len(names) == 1 and all(root is not None and root.end() < len(root.string) for root in roots)


def _natural(path: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in _PARTS.split(path)]
