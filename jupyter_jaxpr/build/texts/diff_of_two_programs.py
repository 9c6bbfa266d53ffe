"""Builds the diff of two programs at one level. Each program's run is live in this kernel or was read from a file."""

from __future__ import annotations

from typing import Literal

import msgspec

from ...document.diff.program_diff import Text, of, program_diff, text_diff
from ...document.limits import COMPARED, Sent
from ...document.types.diff import ProgramDiff
from ...document.types.document import Frame, Snapshot, Stack
from ...plain_text import quoted
from ..sources_of_requests import Sources
from .stablehlo_and_hlo import Unavailable

Level = Literal["jaxpr", "stablehlo", "hlo"]

_CUT = (
    "The equations of {name} in {run} are incomplete: the document was cut to stay small, or holds one page of a large "
    "program. Run the cell again, then compare the new run."
)
_TITLES = {"stablehlo": "StableHLO", "hlo": "HLO"}
_LARGE = "The document of {run} holds more than {most:,} equations and is not compared. Run its cell again."
_NO_TEXT = "The {title} of {name} is missing in {run}. {reason}"
_MAKE_TEXT = "Press “{button}” in the Program view of the run, or run the cell again."
#: Level -> the panel's button that makes the text of the level.
_BUTTONS = {"stablehlo": "Lower the program", "hlo": "Compile the program"}


def diff_runs(
    before: tuple[Snapshot, Sources | None],
    program_before: int,
    after: tuple[Snapshot, Sources | None],
    program_after: int,
    level: Level = "jaxpr",
    *,
    whole: int = Sent.WHOLE_DIFF,
) -> ProgramDiff:
    """Compare two programs and return their diff.

    Args:
        before: The document of a run, and the live sources behind it, if the kernel still has them.
        program_before: The index of the program in that document.
        after: The document of the other run, and its live sources.
        program_after: The index of the program in the document of the other run.
        level: The level to compare: equations (jaxpr), or lines of StableHLO or HLO.
        whole: If the diff has at most this many rows, rows without a difference are included.

    Raises:
        Unavailable: Neither the document nor a live source has the equations or the text.
    """
    if level == "jaxpr":
        first, second = _held(*before, program_before), _held(*after, program_after)
        difference = program_diff(*first, *second, row_limit=whole)
        return msgspec.structs.replace(
            difference, before=of(before[0], program_before), after=of(after[0], program_after)
        )
    return text_diff(
        level,
        of(before[0], program_before),
        _text(*before, program_before, level),
        of(after[0], program_after),
        _text(*after, program_after, level),
        row_limit=whole,
    )


def _held(document: Snapshot, sources: Sources | None, program: int) -> tuple[Snapshot, int]:
    """Return a document with all equations of the program, and the index of the program in this document."""
    compared = document.programs[program]
    if sources is None and sum(len(scope.primitive) for scope in document.scopes) > COMPARED:
        raise Unavailable(_LARGE.format(run=_run(document), most=COMPARED))
    if compared.complete:
        return document, program
    if sources is None:
        raise Unavailable(_CUT.format(name=quoted(compared.name), run=_run(document)))
    return sources.whole(program), 0


def _text(document: Snapshot, sources: Sources | None, program: int, level: Literal["stablehlo", "hlo"]) -> Text:
    cell = document.cell.file if document.cell is not None else None
    compared = document.programs[program]
    shown_level = next((candidate for candidate in compared.levels if candidate.name == level), None)
    if shown_level is not None and shown_level.text is not None:
        lines = shown_level.text.split("\n")
        stacks, frames = document.stacks, document.frames
        files = [file.path for file in document.files]
        return lines, _places(shown_level.line_stacks or [], stacks, frames, files, cell)
    if sources is None or shown_level is None or shown_level.state in ("not_made", "absent"):
        reason = (shown_level and shown_level.reason) or _MAKE_TEXT.format(button=_BUTTONS[level])
        raise Unavailable(
            _NO_TEXT.format(title=_TITLES[level], name=quoted(compared.name), run=_run(document), reason=quoted(reason))
        )
    text = sources.text(program, level)
    fields = text.pools.text_fields()
    return text.lines, _places(
        text.line_stacks, fields["stacks"], fields["frames"], [file.path for file in fields["files"]], cell
    )


def _places(
    line_stacks: list[int], stacks: list[Stack], frames: list[Frame], files: list[str], cell: str | None
) -> list[int]:
    """Return for each line of a text the line number in the cell from which it comes; 0 if from none."""
    lines = []
    for stack in line_stacks:
        frames_here = (frames[frame] for frame in stacks[stack].frames) if stack >= 0 else iter(())
        lines.append(next((frame.line for frame in frames_here if files[frame.file] == cell), 0))
    return lines


def _run(document: Snapshot) -> str:
    count = document.cell.execution_count if document.cell is not None else None
    return "this run" if count is None else f"run [{count}]"
