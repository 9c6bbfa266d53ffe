"""What running a function's Python once more would change outside of the function: one record for each cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["state", "random", "outside", "unknown"]


@dataclass(frozen=True)
class SideEffect:
    """A line that keeps a function from being proven free of side effects.

    Attributes:
        kind: ``state``: Python objects change, which can be put back. ``random``: the state of a random generator
            advances. ``outside``: what happens cannot be undone, such as a write to a file. ``unknown``: nothing is
            known about what is called.
        file: The file of the line, as code objects name it.
        line: From 1.
        function: The function that the line is in, as code objects name it.
        text: What the line does, such as "prints to a file"; `guard.effect_text` makes the sentence.
    """

    kind: Kind
    file: str
    line: int
    function: str
    text: str


class NotProven(Exception):
    """The first side effect was found; carries the record."""

    def __init__(self, effect: SideEffect) -> None:
        super().__init__(effect.text)
        self.effect = effect
