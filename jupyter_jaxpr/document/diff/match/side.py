"""Holds one of the two programs of a diff: its scopes as columns, without JAX's objects.

The columns are those of a document (`document.types.document.Scope`), so a saved program is compared like a program
that has just run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a value; see `document.types.document.Aval`."""

    text: str
    shape: tuple[int | str, ...]
    dtype: str
    weak: bool
    sharding: str | None


@dataclass(frozen=True, slots=True)
class Child:
    """A program inside an equation: the parameter that holds it, its place in a tuple or -1, its scope."""

    parameter: str
    position: int
    scope: int


@dataclass(frozen=True, slots=True)
class ScopeSide:
    """A jaxpr. Variables are numbered: constants, inputs, each equation's outputs; operand -1 - i is literal i."""

    constants: int
    inputs: int
    outputs: Sequence[int]
    #: For each variable, an index into `Side.types`.
    types: Sequence[int]
    primitive: Sequence[int]
    operands: Sequence[Sequence[int]]
    output_counts: Sequence[int]
    #: For each equation, the number of the first variable that it binds.
    first: Sequence[int]
    #: For each equation, an index into `Side.parameter_lists`; -1 for none.
    parameters: Sequence[int]
    children: Mapping[int, Sequence[Child]]
    effects: Mapping[int, Sequence[int]]
    #: For each equation, an index into `Side.places`; -1 for none.
    stack: Sequence[int]


@dataclass(frozen=True, slots=True)
class Side:
    """A program: its pools, its scopes, and where its equations were written."""

    strings: Sequence[str]
    types: Sequence[Type]
    #: (index into strings, index into types) of each literal.
    literals: Sequence[tuple[int, int]]
    #: (index into strings, index into strings or -1 for a program) of each parameter of each list.
    parameter_lists: Sequence[Sequence[tuple[int, int]]]
    scopes: Sequence[ScopeSide]
    root: int
    #: A path for each input of the program, such as p['w']; empty where unknown.
    input_names: Sequence[str]
    #: For each stack, the user's line on which it begins, as text if the text is known; empty if unknown.
    places: Sequence[str]

    def parameter_texts(self, scope: ScopeSide, equation: int) -> dict[str, str]:
        """Return the parameters of an equation that are no programs, by name."""
        number = scope.parameters[equation]
        if number < 0:
            return {}
        return {self.strings[name]: self.strings[value] for name, value in self.parameter_lists[number] if value >= 0}

    def type_of(self, scope: ScopeSide, operand: int) -> Type:
        """Return the type of an operand, a variable or a literal."""
        return self.types[scope.types[operand] if operand >= 0 else self.literals[-1 - operand][1]]
