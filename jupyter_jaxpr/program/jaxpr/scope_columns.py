"""Holds the equations of one jaxpr as columns: lists with one item for each equation or variable."""

from __future__ import annotations

from dataclasses import dataclass, field

from .captured_constants import Captured


@dataclass(slots=True)
class ScopeColumns:
    """A jaxpr as columns.

    `document.types.document.Scope` describes the fields; here no equation is left out.

    Attributes:
        counted: the inner scopes that are included in the program's count of equations; combiners are not.
    """

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
    counted: list[int] = field(default_factory=list)
    captured: list[Captured] = field(default_factory=list)
