"""Lets a script read the exact links of a program: lines of the twin, and the equations of each line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..build.texts.exact_links_of_program import find_exact_links
from ..build.texts.stablehlo_and_hlo import LevelName, title
from ..document.types.exact_links import ExactLevel
from ..quantities import count, duration

if TYPE_CHECKING:
    from ..build.sources_of_requests import Sources


@dataclass(frozen=True)
class ExactLine:
    """One line of a twin's text.

    Attributes:
        text: The line, as JAX or XLA prints it.
        equations: The scope and the index of each equation that the line comes from, in JAX's order; empty for a line
            from no equation. Scopes are those of `Snapshot.document`.
        primitives: The primitives of these equations.
        inferred: True if the equations follow from other lines, because XLA does not state them.
    """

    text: str
    equations: tuple[tuple[int, int], ...]
    primitives: tuple[str, ...]
    inferred: bool


@dataclass(frozen=True)
class ExactLinks:
    """The exact links of a program: the equations of each line of its tagged twin's StableHLO and HLO.

    The twin is compiled beside the program and did not run; `levels` tell if the texts are the same.

    Attributes:
        name: The name of the program.
        seconds: The duration of lowering and compiling the twin.
        equations: The number of equations in the program.
        reached: The number of equations with an instruction in the HLO.
        levels: For StableHLO and HLO: the number of instructions and of linked instructions.
        stablehlo: The lines of StableHLO.
        hlo: The lines of HLO, without the tables of metadata.
    """

    name: str
    seconds: float
    equations: int
    reached: int
    levels: tuple[ExactLevel, ...]
    stablehlo: tuple[ExactLine, ...]
    hlo: tuple[ExactLine, ...]

    def __str__(self) -> str:
        """Return the shares of linked instructions, and whether the twin is the same as the program."""
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
    """Compile the twin of a program of a run, unless it is already compiled.

    Raises:
        Unavailable: The program cannot be lowered, or JAX or XLA refuses the twin.
    """
    links = find_exact_links(sources, program)
    return ExactLinks(
        name=sources.document.programs[program].name,
        seconds=links.lower_seconds + links.compile_seconds,
        equations=links.equations,
        reached=links.reached,
        levels=tuple(links.levels),
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


def _share(part: int, total: int) -> str:
    return f"{part:,} ({part / total:.0%})" if total else "0"
