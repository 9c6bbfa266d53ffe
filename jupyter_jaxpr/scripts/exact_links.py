"""Lets a script read the exact links of a program: lines of the twin, and the equations of each line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..build.exact_links import find_exact_links
from ..build.levels import LevelName, title
from ..document.types.exact_links import ExactLevel
from ..quantities import count, duration

if TYPE_CHECKING:
    from ..build.live_sources import Sources


@dataclass(frozen=True)
class ExactLine:
    """A line of a twin's text.

    Attributes:
        text: As JAX or XLA prints it.
        equations: The scope and the index of each equation that it comes from, in JAX's order; empty where it comes
            from none. Scopes are those of `Snapshot.document`.
        primitives: Of those equations.
        inferred: XLA does not state these equations: they follow from other lines.
    """

    text: str
    equations: tuple[tuple[int, int], ...]
    primitives: tuple[str, ...]
    inferred: bool


@dataclass(frozen=True)
class ExactLinks:
    """What a tagged twin of a program says: which equations each line of its StableHLO and HLO comes from.

    The twin is compiled beside the program and is not what ran; `levels` say whether it is the same text.

    Attributes:
        name: Of the program.
        seconds: That lowering and compiling the twin took.
        equations: How many the program has.
        reached: How many of them any instruction of the HLO comes from.
        levels: Of StableHLO and HLO: how many instructions there are and how many are linked.
        stablehlo: The lines.
        hlo: The lines, metadata's tables left out.
    """

    name: str
    seconds: float
    equations: int
    reached: int
    levels: tuple[ExactLevel, ...]
    stablehlo: tuple[ExactLine, ...]
    hlo: tuple[ExactLine, ...]

    def __str__(self) -> str:
        """The shares, and whether the twin is the same as the program."""
        lines = [f"Exact links of {self.name}: lowering and compiling the tagged copy took {duration(self.seconds)}."]
        for level in self.levels:
            lines.append(
                f"{title(level.name)}: {count(level.instructions, 'instruction')}; linked to equations: "
                f"{_share(level.linked, level.instructions)}; linked to exactly one equation: "
                f"{_share(level.single, level.instructions)}; linked by inference: {level.inferred:,} more. "
                f"{level.words}"
            )
        lines.append(f"{self.reached:,} of {count(self.equations, 'equation')} have an instruction in the HLO.")
        return "\n".join(lines)


def exact_links_of(sources: Sources, program: int) -> ExactLinks:
    """Compile the twin of a program of a run, unless that was done before.

    Raises:
        Unavailable: There is nothing to lower, or JAX or XLA refuses the twin.
    """
    found = find_exact_links(sources, program)
    return ExactLinks(
        name=sources.document.programs[program].name,
        seconds=found.lower_seconds + found.compile_seconds,
        equations=found.equations,
        reached=found.reached,
        levels=tuple(found.levels),
        stablehlo=_lines(sources, program, "stablehlo"),
        hlo=_lines(sources, program, "hlo"),
    )


def _lines(sources: Sources, program: int, level: LevelName) -> tuple[ExactLine, ...]:
    text, walk = sources.twin_text(program, level), sources.walk
    inferred = set(text.inferred_lines)
    rows = {line: tuple(zip(numbers[::2], numbers[1::2], strict=True)) for line, *numbers in text.equations or ()}
    return tuple(
        ExactLine(
            words,
            rows.get(line, ()),
            tuple(walk.strings.items[walk.scopes[scope].primitive[index]] for scope, index in rows.get(line, ())),
            line in inferred,
        )
        for line, words in enumerate(text.lines)
    )


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.0%})" if whole else "0"
