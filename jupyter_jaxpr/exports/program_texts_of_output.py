"""Prints the jaxpr, StableHLO and HLO of a program; each is cut to a length, or has the reason why it is missing."""

from __future__ import annotations

from dataclasses import dataclass

from ..document.printed_program import Budget, program_lines
from ..document.types.document import Level, Snapshot
from ..quantities import count

TITLES = {"stablehlo": "StableHLO", "hlo": "Optimised HLO"}
NO_TEXT = "This copy does not hold the text of this level."
_ELSEWHERE = f"{NO_TEXT} Run the cell again to see the text in the panel."


@dataclass(frozen=True)
class Listing:
    """The text of one level of a program."""

    title: str
    text: str | None
    note: str | None  # a sentence: how many lines are left out, or why the level has no text


def listings(document: Snapshot, program: int, characters: int, budget: Budget) -> list[Listing]:
    """Return the texts of a program, each cut after the last whole line that fits.

    Args:
        document: The document with the program.
        program: The index of the program.
        characters: The largest length of each text in characters.
        budget: How much text may still be printed, for this program and the following ones.
    """
    program_data = document.programs[program]
    equations = count(program_data.equations, "equation")
    return [
        cut(f"jaxpr, {equations}", "\n".join(program_lines(document, program, budget).commented()), characters),
        *(_level(level, characters) for level in program_data.levels),
    ]


def _level(level: Level, characters: int) -> Listing:
    title = TITLES[level.name]
    if level.text is None:
        return Listing(title, None, level.reason or _ELSEWHERE)
    return cut(f"{title}, {count(level.lines, 'line')}", level.text, characters)


def cut(title: str, text: str, characters: int) -> Listing:
    """Return a text with a title, cut after the last complete line within `characters` characters."""
    if len(text) <= characters:
        return Listing(title, text, None)
    kept_text = text[: text.rfind("\n", 0, characters + 1) + 1].rstrip("\n")
    lines = text.count("\n", len(kept_text)) if kept_text else text.count("\n") + 1
    return Listing(
        title,
        kept_text or None,
        f"This copy leaves out {count(lines, 'more line')} of this text. Run the cell again to see all lines.",
    )
