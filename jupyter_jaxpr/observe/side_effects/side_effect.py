"""Declares the record of a side effect: a change outside of a function that a second run of its Python would make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["state", "random", "outside", "unknown"]


@dataclass(frozen=True)
class SideEffect:
    """A line because of which a function is not proven free of side effects.

    Attributes:
        kind: ``state``: Python objects change, which can be undone. ``random``: the state of a random generator
            advances. ``outside``: the effect cannot be undone, such as a write to a file. ``unknown``: the effects
            of the called object are unknown.
        file: The file of the line, as code objects name it.
        line: The number of the line, from 1.
        function: The name of the function around the line, as code objects name it.
        sentence: The effect of the line, such as "{line_of_side_effect} prints to a file.";
            `refused_and_undone_traces.effect_text` names the line.
    """

    kind: Kind
    file: str
    line: int
    function: str
    sentence: str


class NotProven(Exception):
    """Raised to end the analysis at the first side effect, which the exception contains."""

    def __init__(self, effect: SideEffect) -> None:
        super().__init__(effect.sentence)
        self.effect = effect
