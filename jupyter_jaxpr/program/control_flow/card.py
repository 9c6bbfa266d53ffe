"""Declares the rows of a control-flow card; the fields are those of `document.types.control_flow`."""

from __future__ import annotations

from dataclasses import dataclass, field

#: The number for no operand, which is below the number of any literal.
NO_OPERAND = -(2**31)

#: The kinds that are control flow; the others are named scopes around it.
CONTROL_FLOW = frozenset({"cond", "switch", "scan", "while_loop", "fori_loop", "map", "associative_scan"})


@dataclass(slots=True)
class SlotRow:
    """See `snapshot.control_flow.Slot`."""

    role: str
    path: str
    step: int
    whole: int
    out: int
    operand: int
    kept: bool = False


@dataclass(slots=True)
class BranchRow:
    """See `snapshot.control_flow.Branch`."""

    label: str
    name: str = ""
    scope: int = -1
    equations: int = 0
    frame: int = -1
    flops: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step into a program: the equation of the scope, and the program in its parameters."""

    equation: int
    parameter: str
    #: The position in a parameter that is a tuple; -1 for any other parameter.
    position: int


@dataclass(frozen=True, slots=True)
class ControlPath:
    """The place of a construct: its program, the steps down from that program, the equation in the last scope."""

    program: int
    steps: tuple[Step, ...]
    equation: int


@dataclass(slots=True)
class Card:
    """See `snapshot.control_flow.Control`; `path` is for whoever runs it."""

    kind: str
    primitive: str
    scope: int
    equation: int
    path: ControlPath
    title: str = ""
    program: int = 0
    equations: int = 1
    parent: int = -1
    parent_part: str = ""
    depth: int = 0
    frame: int = -1
    library: str | None = None
    name_stack: str = ""
    slots: list[SlotRow] = field(default_factory=list)
    no_operand: int = NO_OPERAND
    branches: list[BranchRow] = field(default_factory=list)
    predicate: int = NO_OPERAND
    predicate_text: str | None = None
    predicate_equation: int = -1
    body: int = -1
    body_frame: int = -1
    condition: int = -1
    condition_text: str | None = None
    trips: int | None = None
    trips_from: str | None = None
    lower: str | None = None
    upper: str | None = None
    reverse: bool = False
    unroll: int = 1
    step_flops: int | None = None
    facts: list[str] = field(default_factory=list)
    #: The index in `facts` of the fact that the values decide the number of steps; -1 without that fact.
    open_fact: int = -1
    choice: str | None = None
    choice_reason: str | None = None
    effects: list[str] = field(default_factory=list)
    steppable: str | None = None
