"""Reads the tags in the StableHLO or HLO of a twin, the tagged copy of a program.

The tags give the equations of each line. A comparison counts the lines that differ from the program's own text.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..jaxpr.walk import Equation, Walk
from .hlo_inference import inferred_origins
from .hlo_instructions import TRIVIAL, computations
from .hlo_of_executable import hlo_lines
from .stablehlo_of_lowered import LinesOfText, stablehlo_lines
from .tags_of_tagged_copy import equations_named, scopes_of, untagged

_METADATA = re.compile(r', metadata=\{(?:"(?:[^"\\]|\\.)*"|[^{}"])*\}')
_OPERATION = re.compile(r" *%[\w:]+ = (?!stablehlo\.constant)")
_NAME = re.compile(r"%[\w.-]+")


@dataclass(frozen=True)
class ExactLines:
    """The StableHLO or HLO of a twin, with the equations of its lines.

    Attributes:
        lines: The text without tags. Each line has the stack of its first equation, and the other stacks as
            alternatives; lines whose equations XLA does not state are `inferred`.
        equations: Line -> its equations, for lines that come from equations.
        instructions: The lines with real operations: no constants, and no instructions that only move or name values.
    """

    lines: LinesOfText
    equations: dict[int, tuple[Equation, ...]]
    instructions: tuple[int, ...]


def exact_lines(text: str, walk: Walk, scope: int, level: Literal["stablehlo", "hlo"]) -> ExactLines:
    """Read the StableHLO or HLO of a twin.

    Args:
        text: The text as JAX or XLA printed it, with the tags.
        walk: The `Walk` that has read the equations to which the tags refer; the stacks are added to its pools.
        scope: The scope of the program in the `Walk`.
        level: The level of the text.
    """
    read = hlo_lines(text, walk.positions) if level == "hlo" else stablehlo_lines(text, walk.positions)
    equations: dict[int, tuple[Equation, ...]] = {}
    equations_of_name: dict[str, tuple[Equation, ...]] = {}
    for line, name in read.op_names.items():
        if name not in equations_of_name:
            equations_of_name[name] = tuple(equation for equation in equations_named(name) if _exists(walk, equation))
        if equations_of_name[name]:
            equations[line] = equations_of_name[name]
    untagged_text = untagged(read.text)
    written = untagged_text.split("\n")
    inferred: list[int] = []
    if level == "hlo":
        found_besides = _inferred(written, equations, walk, scope)
        equations |= found_besides
        inferred = sorted(found_besides)
    stacks, more_stacks = list(read.line_stacks), dict[int, tuple[int, ...]]()
    for line, sources in equations.items():
        line_stacks = list(
            dict.fromkeys(filter(lambda stack: stack >= 0, (_stack(walk, equation) for equation in sources)))
        )
        if line_stacks:
            stacks[line] = line_stacks[0]
        if line_stacks[1:]:
            more_stacks[line] = tuple(line_stacks[1:])
    if level == "hlo":
        module = computations(written)
        instructions = [
            instruction.line
            for part in module
            for instruction in part.instructions
            if instruction.opcode not in TRIVIAL
        ]
    else:
        instructions = [line for line, words in enumerate(written) if _OPERATION.match(words)]
    return ExactLines(
        LinesOfText(untagged_text, stacks, other_stacks=more_stacks, inferred=inferred), equations, tuple(instructions)
    )


def _inferred(
    lines: Sequence[str], stated: dict[int, tuple[Equation, ...]], walk: Walk, scope: int
) -> dict[int, tuple[Equation, ...]]:
    """Infer the equations of lines for which none are stated, by the rules of `hlo_inference`, applied to equations."""
    numbers: dict[tuple[Equation, ...], int] = {}
    places = [numbers.setdefault(stated[line], len(numbers)) if line in stated else -1 for line in range(len(lines))]

    def only(primitive: str) -> int:
        sources = [
            (number, index)
            for number in scopes_of(walk, scope)
            for index, name in enumerate(walk.scopes[number].primitive)
            if walk.strings.items[name] == primitive
        ]
        return numbers.setdefault((sources[0],), len(numbers)) if len(sources) == 1 else -1

    only_once = functools.cache(only)
    origins = inferred_origins(lines, places, only_once)
    linked_lines = list(numbers)
    return {line: linked_lines[place] for line, place in origins.items()}


def differing(twin: Sequence[str], program: Sequence[str]) -> int:
    """Return how many lines of one text are missing from the other; names, numbers and metadata are ignored.

    Args:
        twin: The lines of one text.
        program: The lines of the other text, of the same level.
    """
    twin_counts, program_counts = Counter(map(_written, twin)), Counter(map(_written, program))
    return max((twin_counts - program_counts).total(), (program_counts - twin_counts).total())


def _written(line: str) -> str:
    return _NAME.sub("%", _METADATA.sub("", line) if "metadata={" in line else line)


def _exists(walk: Walk, equation: Equation) -> bool:
    scope, index = equation
    return scope < len(walk.scopes) and index < walk.scopes[scope].count


def _stack(walk: Walk, equation: Equation) -> int:
    """Return the stack of an equation; -1 without a user frame, because the line then states a more precise stack."""
    scope, index = equation
    stack = walk.scopes[scope].stack[index]
    return stack if stack >= 0 and walk.positions.stacks[stack][0] else -1
