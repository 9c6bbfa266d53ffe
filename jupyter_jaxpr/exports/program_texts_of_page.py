"""Prints the jaxpr, StableHLO and HLO of a program line by line, each line with its source place.

The place of a line is its innermost frame in the cell that ran, or else its innermost user frame. Lines with the same
frame are linked, also across the texts. Operations of a library function have the place of the user's call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..document.printed_program import Budget, ProgramLines, program_lines
from ..document.printed_variable_names import pools_of
from ..document.read.equation_numbers import equation_numbers
from ..document.types.document import Level, Snapshot
from ..quantities import count
from .folded_jaxpr_parameters import FoldedWords, folded_words
from .program_texts_of_output import NO_TEXT, TITLES


@dataclass(frozen=True)
class LinkedText:
    """A text of a program, with the source place of each line."""

    name: str  # the level: jaxpr, stablehlo or hlo
    title: str
    size: str  # how long the text is, such as "17 equations"
    lines: list[str]
    # for each line of the text: the index of its frame in the document; -1 if no line of the user's made it
    frames: list[int]
    # index of the first line of a fold -> the number of lines below it that the fold hides
    folds: dict[int, int]
    # for each line: the number of its equation in the panel, 0 for no equation; None to number the lines from 1
    numbers: list[int] | None = None
    # index of a line -> the part of the line that the saved page shows only after a click
    folded_words: dict[int, FoldedWords] = field(default_factory=dict)
    # The reason why the text is missing, with a cure; None if the text exists.
    absent: str | None = None


def linked_texts(document: Snapshot, program: int, budget: Budget, own_file: str | None) -> list[LinkedText]:
    """Return the jaxpr, StableHLO and HLO of a program; a missing text has the reason why it is missing.

    Args:
        document: The document.
        program: The index of the program.
        budget: The lines and characters that may still be printed.
        own_file: The path of the source file that is shown beside the texts.
    """
    program_data = document.programs[program]
    places = _Places(document, own_file)
    pools = pools_of(document)
    printed = program_lines(document, program, budget, pools)
    lines = printed.commented()
    jaxpr = LinkedText(
        "jaxpr",
        "jaxpr",
        count(program_data.equations, "equation"),
        lines,
        [places.of_equations(equations) for equations in printed.equations],
        _folds(printed),
        _numbers(printed, equation_numbers(document, program, pools)),
        folded_words(lines),
    )
    return [jaxpr, *(_level(level, places, budget) for level in program_data.levels)]


def _folds(printed: ProgramLines) -> dict[int, int]:
    folds: dict[int, int] = {}
    for first, last in printed.folds:
        folds[first] = max(folds.get(first, 0), last - first)
    return folds


def _numbers(printed: ProgramLines, numbers: dict[tuple[int, int], int]) -> list[int] | None:
    """Return for each line the number of the equation that begins there; None if `numbers` is empty."""
    if not numbers:
        return None
    visited: set[tuple[int, int]] = set()
    numbers_of_lines = []
    for equations in printed.equations:
        first = equations[0] if equations else None
        numbers_of_lines.append(numbers.get(first, 0) if first is not None and first not in visited else 0)
        if first is not None:
            visited.add(first)
    return numbers_of_lines


def _level(level: Level, places: _Places, budget: Budget) -> LinkedText:
    title = TITLES[level.name]
    if level.text is None:
        absent = level.reason or f"{NO_TEXT} Run the cell again and save the run again."
        return LinkedText(level.name, title, "", [], [], {}, absent=absent)
    lines = level.text.split("\n")
    size = count(len(lines), "line")
    fitting = budget.fitting(lines)
    if fitting < len(lines):
        lines = [*lines[:fitting], f"… {count(len(lines) - fitting, 'more line')}"]
    stacks = level.line_stacks or []
    frames = [places.of_stack(stacks[line]) if line < len(stacks) else -1 for line in range(len(lines))]
    return LinkedText(level.name, title, size, lines, frames, _indented(lines))


def _indented(lines: Sequence[str]) -> dict[int, int]:
    """Return {line that opens a brace: number of lines until the brace is closed}."""
    folds: dict[int, int] = {}
    opened: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        text = line.strip()
        if opened and text.startswith("}") and opened[-1][1] >= indent:
            first, _ = opened.pop()
            folds[first] = number - first
        if text.endswith("{"):
            opened.append((number, indent))
    return folds


class _Places:
    """Finds the frame of a stack or an equation: the innermost in the shown source, else the innermost user frame."""

    def __init__(self, document: Snapshot, own_file: str | None) -> None:
        self._document = document
        self._own = own_file
        self._known: dict[int, int] = {-1: -1}
        self._of_scopes: dict[int, list[int]] = {}
        self._has_frames = any(stack.frames for stack in document.stacks)

    def of_stack(self, stack: int) -> int:
        frame = self._known.get(stack)
        if frame is None:
            frame = self._known[stack] = self._find(self._document.stacks[stack].frames)
        return frame

    def of_equations(self, equations: Sequence[tuple[int, int]]) -> int:
        """Return the frame of the first equation with a frame; for a library's equation, that of the user's call."""
        if not self._has_frames:
            return -1
        for scope, equation in equations:
            # A program that is called at many places is printed at each place, so its frames are found once.
            frames = self._of_scopes.get(scope) or self._of_scope(scope)
            if frames[equation] >= 0:
                return frames[equation]
        return -1

    def _of_scope(self, scope: int) -> list[int]:
        frames = self._of_scopes[scope] = [self.of_stack(stack) for stack in self._document.scopes[scope].stack]
        return frames

    def _find(self, frames: Sequence[int]) -> int:
        document = self._document
        for frame in frames:
            if document.files[document.frames[frame].file].path == self._own:
                return frame
        return frames[0] if frames else -1
