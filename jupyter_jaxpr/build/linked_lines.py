"""Prints a level of a program (StableHLO or HLO) and links its lines to the equations of the program."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import msgspec

from ..document.pools import Pools
from ..document.types.document import Level
from ..interruptions import not_of_a_signal
from ..observe.observation import ObservedProgram
from ..program.jaxpr.walk import Walk
from ..program.texts.stablehlo import LinesOfText
from ..program.texts.text_links import linked
from .levels import LevelName, platform_text, text_of


@dataclass(frozen=True)
class Text:
    """The StableHLO or HLO of a program, with the stack of each line."""

    text: str
    lines: list[str]
    sha256: str
    #: The stack of each line: an index into the stacks of `pools`, -1 for none.
    line_stacks: list[int]
    #: The lines whose stack is inferred, ascending.
    inferred_lines: list[int]
    #: The further stacks of lines that may come from several places: the line number, then these stacks.
    other_stacks: list[list[int]]
    #: The equations of lines that XLA names: the line number, the equation's scope and index, in ascending order.
    named_equations: list[list[int]]
    pools: Pools
    #: The exact links of a twin: the line number, then scope and index of each equation of the line, in ascending
    #: order.
    equations: list[list[int]] | None = None


def held_level(observed: ObservedProgram, level: Level, walk: Walk, scope: int, limit: int | None = None) -> Level:
    """Return a level with its text, whose stacks go into the pools of `walk`; unchanged if JAX has not made the text.

    Args:
        observed: JAX's own objects of the program.
        level: The level without its text.
        walk: The walk whose pools take the stacks of the lines.
        scope: The scope of the program in the walk.
        limit: The most characters of a text in the document; a longer text stays on request.
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
    except not_of_a_signal(Exception):  # a text that another XLA wrote: its lines keep the places that the text states
        return lines


def linked_text(lines: LinesOfText, document_pools: Pools) -> Text:
    """Return a text with the links of its lines, whose stacks are in `document_pools`."""
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
