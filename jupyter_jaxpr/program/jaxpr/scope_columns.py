"""Holds the equations of one jaxpr as columns."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Captured:
    """The known facts about the value of a scope's constant; never the value itself."""

    operand: int
    bytes: int
    #: A number that identifies the array: captures of one array have one number.
    identity: int


@dataclass(slots=True)
class ScopeColumns:
    """A jaxpr as columns; the fields are those of `document.types.document.Scope`, complete."""

    name: int = -1
    constants: int = 0
    inputs: int = 0
    outputs: list[int] = field(default_factory=list)
    count: int = 0
    total: int = 0
    variable_avals: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    primitive: list[int] = field(default_factory=list)
    operands: list[list[int]] = field(default_factory=list)
    output_counts: list[int] = field(default_factory=list)
    parameters: list[int] = field(default_factory=list)
    stack: list[int] = field(default_factory=list)
    name_stack: list[int] = field(default_factory=list)
    children: list[tuple[int, int, int, int]] = field(default_factory=list)
    effects: list[tuple[int, list[int]]] = field(default_factory=list)
    #: The children that are part of the program's count: combiners are not.
    counted: list[int] = field(default_factory=list)
    captured: list[Captured] = field(default_factory=list)
