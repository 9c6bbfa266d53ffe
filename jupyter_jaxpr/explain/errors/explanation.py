"""What is known of an error beyond its text."""

from __future__ import annotations

from dataclasses import dataclass

from ...observe.observation import FoundCure, Place


@dataclass(frozen=True)
class Explained:
    """What is known of an error beyond its text.

    Attributes:
        place: Line and expression of the user's that raised; None where no frame is the user's.
        title: What happened, in a few words; None where the error is none that is known here.
        text: More of it: sentences, empty where there is no more.
        cures: Ways out.
        traced: JAX was tracing: the error is about the trace, not about a call that was made.
    """

    place: Place | None
    title: str | None = None
    text: str = ""
    cures: tuple[FoundCure, ...] = ()
    traced: bool = False
