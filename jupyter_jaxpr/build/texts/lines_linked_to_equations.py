"""Prints a level of a program (StableHLO or HLO) and links its lines to the equations of the program."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import msgspec

from ...document.pools_of_documents_and_pages import Pools
from ...document.types.document import Level
from ...interruptions import not_of_a_signal
from ...observe.observation import ObservedProgram
from ...program.jaxpr.walk import Walk
from ...program.texts.stablehlo_of_lowered import LinesOfText
from ...program.texts.text_links import linked
from .stablehlo_and_hlo import LevelName, platform_text, text_of


@dataclass(frozen=True)
class Text:
    """The StableHLO or HLO of a program, with the source stack (the frames of the Python code) of each line.

    Attributes:
        line_stacks: For each line of the text an index into the stacks of `pools`, -1 for a line without a stack.
        inferred_lines: The numbers, ascending, of the lines for which the text states no stack, so that this package
            has inferred the stack.
        other_stacks: Lines that may come from several source places: [line number, the stacks besides the one in
            `line_stacks`...].
        named_equations: Lines for which XLA states the equation: [line number, scope, index of the equation],
            ascending.
        equations: The exact links from a twin: [line number, then (scope, index) of each equation of the line],
            ascending; None without a twin.
    """

    text: str
    lines: list[str]
    sha256: str
    line_stacks: list[int]
    inferred_lines: list[int]
    other_stacks: list[list[int]]
    named_equations: list[list[int]]
    pools: Pools
    equations: list[list[int]] | None = None


def held_level(observed: ObservedProgram, level: Level, walk: Walk, scope: int, limit: int | None = None) -> Level:
    """Return a level with its text, or unchanged if JAX has not made the text.

    Args:
        observed: JAX's own objects of the program.
        level: The level without its text.
        walk: The `Walk` that has read the equations of the program; the stacks of the lines are added to its pools.
        scope: The scope of the program in the `Walk`.
        limit: The most characters of a text in the document; a longer text is only sent on request.
    """
    if level.state != "on_request":
        return level
    text = linked_text(linked_lines(observed, level.name, walk, scope), Pools())
    sizes = {"characters": len(text.text), "lines": len(text.lines), "sha256": text.sha256}
    if limit is not None and len(text.text) > limit:
        return msgspec.structs.replace(level, **sizes)
    return msgspec.structs.replace(
        level,
        state="held",
        text=text.text,
        line_stacks=text.line_stacks,
        inferred_lines=text.inferred_lines,
        other_stacks=text.other_stacks,
        named_equations=text.named_equations,
        **sizes,
    )


def linked_lines(
    observed: ObservedProgram, level: LevelName, walk: Walk, scope: int, platform: str | None = None
) -> LinesOfText:
    """Link the lines of a level to the equations of the program, where the link is known."""
    if platform is not None and level == "stablehlo":
        lines = platform_text(observed, platform, walk.positions)
    else:
        lines = text_of(observed, level, walk.positions)
    if observed.traceback is not None:
        positions = walk.positions
        stacks = [positions.called_from(stack, observed.traceback) if stack >= 0 else -1 for stack in lines.line_stacks]
        lines = replace(lines, line_stacks=stacks)
    try:
        return linked(lines, walk, scope, is_hlo=level == "hlo")
    # A text of an unknown version of XLA may break the linking. Its lines then keep the stacks that the text states.
    except not_of_a_signal(Exception):
        return lines


def linked_text(lines: LinesOfText, document_pools: Pools) -> Text:
    """Return a text with its links; `document_pools` must contain the stacks to which the lines refer."""
    return Text(
        text=lines.text,
        lines=lines.text.split("\n"),
        sha256=hashlib.sha256(lines.text.encode("utf-8", "replace")).hexdigest(),
        line_stacks=lines.line_stacks,
        inferred_lines=lines.inferred,
        other_stacks=[[line, *more_stacks] for line, more_stacks in sorted(lines.other_stacks.items())],
        named_equations=[[line, *equation] for line, equation in sorted(lines.named.items())],
        pools=document_pools,
    )
