"""Prints the texts of a program line by line, each line with its place in the source.

A line's place is the innermost frame in the cell that ran, else the user's innermost frame. Lines of one frame belong
together, whichever text they are in; what a library's function does has the place of the user's call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..document.text import Budget, ProgramLines, program_lines
from ..document.types.document import Level, Snapshot
from ..quantities import count
from .listings import TITLES


@dataclass(frozen=True)
class LinkedText:
    """A text whose lines know where they come from."""

    name: str  # jaxpr, stablehlo, hlo
    title: str
    size: str  # such as 17 equations
    lines: list[str]
    #: Of each line: index into the document's frames, -1 where no line of the user's is known.
    frames: list[int]
    #: First line -> how many lines below it belong to it.
    folds: dict[int, int]
    #: Why there are no lines, and what to do; None where there are.
    absent: str | None = None


def linked_texts(document: Snapshot, program: int, budget: Budget) -> list[LinkedText]:
    """The texts of a program: jaxpr, and the levels that were made or why they are not here."""
    shown = document.programs[program]
    places = _Places(document)
    printed = program_lines(document, program, budget)
    jaxpr = LinkedText(
        "jaxpr",
        "jaxpr",
        count(shown.equations, "equation"),
        printed.commented(),
        [places.of_equations(equations) for equations in printed.equations],
        _folds(printed),
    )
    return [jaxpr, *(_level(level, places, budget) for level in shown.levels)]


def _folds(printed: ProgramLines) -> dict[int, int]:
    found: dict[int, int] = {}
    for first, last in printed.folds:
        found[first] = max(found.get(first, 0), last - first)
    return found


def _level(level: Level, places: _Places, budget: Budget) -> LinkedText:
    title = TITLES[level.name]
    if level.text is None:
        absent = level.reason or "This copy does not hold this text. Run the cell again and save the run again."
        return LinkedText(level.name, title, "", [], [], {}, absent)
    lines = level.text.split("\n")
    size = count(len(lines), "line")
    held = budget.fitting(lines)
    if held < len(lines):
        lines = [*lines[:held], f"… {count(len(lines) - held, 'more line')}"]
    stacks = level.line_stacks or []
    frames = [places.of_stack(stacks[line]) if line < len(stacks) else -1 for line in range(len(lines))]
    return LinkedText(level.name, title, size, lines, frames, _indented(lines))


def _indented(lines: Sequence[str]) -> dict[int, int]:
    """What stands deeper than a line that opens a brace, with the line that closes it."""
    found: dict[int, int] = {}
    opened: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        text = line.strip()
        if opened and text.startswith("}") and opened[-1][1] >= indent:
            first, _ = opened.pop()
            found[first] = number - first
        if text.endswith("{"):
            opened.append((number, indent))
    return found


class _Places:
    """Stacks and equations of a document in, frames out."""

    def __init__(self, document: Snapshot) -> None:
        self._document = document
        self._own = None if document.cell is None else document.cell.file
        self._known: dict[int, int] = {-1: -1}

    def of_stack(self, stack: int) -> int:
        known = self._known.get(stack)
        if known is None:
            known = self._known[stack] = self._find(self._document.stacks[stack].frames)
        return known

    def of_equations(self, equations: Sequence[tuple[int, int]]) -> int:
        """The place of the innermost equation that has one: what a library's jit holds is where the user called it."""
        for scope, equation in equations:
            frame = self.of_stack(self._document.scopes[scope].stack[equation])
            if frame >= 0:
                return frame
        return -1

    def _find(self, frames: Sequence[int]) -> int:
        document = self._document
        for frame in frames:
            if document.files[document.frames[frame].file].path == self._own:
                return frame
        return frames[0] if frames else -1
