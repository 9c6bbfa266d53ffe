"""Holds one of the two programs of a diff as columns, without JAX's objects.

The columns are those of a document (`document.types.document.Scope`), so a saved program and one that has just run are
compared in the same way.
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
    """A program inside an equation: the parameter with the program, the index in a tuple (or -1), the scope."""

    parameter: str
    position: int
    scope: int


@dataclass(frozen=True, slots=True)
class ScopeSide:
    """A scope. Variables are numbered: constants, inputs, results of each equation; operand -1 - i is literal i.

    Attributes:
        types: for each variable, an index into `Side.types`.
        first: for each equation, the number of the first variable that it computes.
        parameters: for each equation, an index into `Side.parameter_lists`; -1 if it has no parameters.
        stack: for each equation, an index into `Side.places`; -1 if it has no stack.
    """

    constants: int
    inputs: int
    outputs: Sequence[int]
    types: Sequence[int]
    primitive: Sequence[int]
    operands: Sequence[Sequence[int]]
    output_counts: Sequence[int]
    first: Sequence[int]
    parameters: Sequence[int]
    children: Mapping[int, Sequence[Child]]
    effects: Mapping[int, Sequence[int]]
    stack: Sequence[int]


@dataclass(frozen=True, slots=True)
class Side:
    """A program as one side of a diff: its pools, its scopes, and the source lines of its equations.

    Attributes:
        literals: (index into strings, index into types) of each literal.
        parameter_lists: for each list of parameters: (index of the name in strings, index of the value in strings or -1
            for a program).
        input_names: for each input of the program its path, such as p['w']; an empty string if the path is unknown.
        places: for each stack the source text of the user's line; an empty string if the text is unknown.
    """

    strings: Sequence[str]
    types: Sequence[Type]
    literals: Sequence[tuple[int, int]]
    parameter_lists: Sequence[Sequence[tuple[int, int]]]
    scopes: Sequence[ScopeSide]
    root: int
    input_names: Sequence[str]
    places: Sequence[str]

    def parameter_texts(self, scope: ScopeSide, equation: int) -> dict[str, str]:
        """Return {name: text} for the parameters of an equation that are no programs."""
        number = scope.parameters[equation]
        if number < 0:
            return {}
        return {self.strings[name]: self.strings[value] for name, value in self.parameter_lists[number] if value >= 0}

    def type_of(self, scope: ScopeSide, operand: int) -> Type:
        """Return the type of an operand, which is a variable or a literal."""
        return self.types[scope.types[operand] if operand >= 0 else self.literals[-1 - operand][1]]
