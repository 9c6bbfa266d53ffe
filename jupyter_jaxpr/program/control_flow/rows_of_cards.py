"""Declares the rows of a control-flow card; `document.types.control_flow` describes the fields."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Stands for "no operand". It is smaller than the number of any literal.
NO_OPERAND = -(2**31)


@dataclass(slots=True)
class SlotRow:
    """A value on a card; `document.types.control_flow.Slot` describes the fields."""

    role: str
    path: str
    step: int
    whole: int
    out: int
    operand: int
    kept: bool = False


@dataclass(slots=True)
class BranchRow:
    """A branch on a card; `document.types.control_flow.Branch` describes the fields."""

    label: str
    name: str = ""
    scope: int = -1
    equations: int = 0
    frame: int = -1
    flops: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the path to an inner program: the equation, and the parameter that contains the program.

    Attributes:
        position: the position of the program in a parameter that is a tuple; -1 if the parameter is no tuple.
    """

    equation: int
    parameter: str
    position: int


@dataclass(frozen=True, slots=True)
class ControlPath:
    """The path to a construct: its program, the steps from that program inwards, and the equation in the last scope."""

    program: int
    steps: tuple[Step, ...]
    equation: int


@dataclass(slots=True)
class Card:
    """A card; `document.types.control_flow.Control` describes the fields. `path` serves to run the construct again.

    Attributes:
        used: False if no equation needs a result of the construct, and the construct has no effect.
        open_fact: the index in `facts` of the sentence which says that values decide the number of steps; -1 if there
            is none.
    """

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
    used: bool = True
    open_fact: int = -1
    choice: str | None = None
    choice_reason: str | None = None
    effects: list[str] = field(default_factory=list)
    steppable: str | None = None
