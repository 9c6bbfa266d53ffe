"""Holds the explanation of an error: a title, sentences, a place and cures."""

from __future__ import annotations

from dataclasses import dataclass

from ...observe.observation import FoundCure, Place


@dataclass(frozen=True)
class Explained:
    """The explanation of an error, for the panel.

    Attributes:
        place: The line and the expression in the user's code that raised the error; None outside of the user's code.
        title: The event in a few words; None for an error without an explanation.
        text: Sentences that explain the title; may be empty.
        cures: Changes of the code that avoid the error.
        traced: The error is about the trace, not about the call of a program.
    """

    place: Place | None
    title: str | None = None
    text: str = ""
    cures: tuple[FoundCure, ...] = ()
    traced: bool = False
