"""Measures the share of HLO instructions with a link, and of correct links, by comparison with a tagged copy."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
from linked_programs import Made, linked_programs
from rows import Row

from jupyter_jaxpr.measure.compiled_again.compile_for_exact_links import lower_twin
from jupyter_jaxpr.program.jaxpr.walk import Walk
from jupyter_jaxpr.program.texts.equations_by_place import Groups
from jupyter_jaxpr.program.texts.hlo_instructions import TRIVIAL, computations
from jupyter_jaxpr.program.texts.hlo_of_executable import executable_text, hlo_lines
from jupyter_jaxpr.program.texts.lines_of_tagged_copy import differing
from jupyter_jaxpr.program.texts.stablehlo_of_lowered import LinesOfText
from jupyter_jaxpr.program.texts.tags_of_tagged_copy import equations_named, untagged
from jupyter_jaxpr.program.texts.text_links import linked, primitives

# One in this many lines with a stated link loses it, so that its inferred link can be compared with the stated link.
_HIDDEN = 10


@dataclass
class Found:
    """The counts of one program's HLO instructions; instructions that only move values are not counted."""

    instructions: int = 0
    with_line: int = 0
    with_group: int = 0
    with_one: int = 0
    inferred: int = 0
    # Of the twin's instructions: how many had links to compare with their tags, and how many of these links were right.
    compared: int = 0
    right: int = 0
    # Of the lines whose stated link was hidden: how many got an inferred link (`hidden_right`: the right one).
    hidden: int = 0
    # Of the twin: its instructions from exactly one equation, and its lines that differ from the program's lines.
    exact: int = 0
    others: int = 0
    hidden_right: int = 0
    # Of the twin: the lines linked to one equation among several of the same source line, and those linked to the right
    # one.
    named: int = 0
    named_right: int = 0

    def add(self, other: Found) -> None:
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def look_at(example: Made) -> Found:
    """Compute the links of a program, and compare them with those of its tagged copy."""
    function, arguments = example
    traced = jax.jit(function).trace(*arguments)
    walk = Walk()
    scope = walk.program(traced.jaxpr)
    groups = Groups(walk, scope)
    counts = Found()

    def instructions(lines: LinesOfText) -> list[Any]:
        module = computations(lines.text.split("\n"))
        return [
            instruction for part in module for instruction in part.instructions if instruction.opcode not in TRIVIAL
        ]

    read = hlo_lines(executable_text(traced.lower().compile()), walk.positions)
    lines = linked(read, walk, scope, is_hlo=True)
    for instruction in instructions(lines):
        stack = lines.line_stacks[instruction.line]
        group = groups.of(stack, *lines.other_stacks.get(instruction.line, ()))
        counts.instructions += 1
        counts.with_line += stack >= 0 and bool(walk.positions.stacks[stack][0])
        counts.with_group += bool(group)
        counts.with_one += len(group) == 1 or instruction.line in lines.named
        counts.inferred += instruction.line in set(lines.inferred)

    tagged = hlo_lines(executable_text(lower_twin(walk, scope, traced).compile()), walk.positions)
    # The tags are removed before the links are computed.
    named = {line: untagged(name) for line, name in tagged.op_names.items()}
    lines = linked(dataclasses.replace(tagged, op_names=named), walk, scope, is_hlo=True)
    for instruction in instructions(tagged):
        counts.exact += len(equations_named(instruction.op_name or "")) == 1
        true = set(equations_named(instruction.op_name or ""))
        group = groups.of(lines.line_stacks[instruction.line], *lines.other_stacks.get(instruction.line, ()))
        if true and group:
            counts.compared += 1
            counts.right += bool(true & group)
            if instruction.line in lines.named:
                counts.named += 1
                counts.named_right += lines.named[instruction.line] in true

    counts.others = differing(untagged(tagged.text).split("\n"), read.text.split("\n"))

    # Hide the stated links of some lines, and compare the inferred links with them. Names such as closed_call are left
    # out, because they name only a call, not an equation.
    refined = linked(read, walk, scope, is_hlo=True)
    primitives_known = {walk.strings.items[primitive] for columns in walk.scopes for primitive in columns.primitive}
    stated = {
        line
        for line, name in read.op_names.items()
        if primitives(name) <= primitives_known and read.line_stacks[line] >= 0
    }
    for first in range(_HIDDEN):
        hidden = {line for line in stated if line % _HIDDEN == first}
        stacks = [-1 if line in hidden else stack for line, stack in enumerate(read.line_stacks)]
        inferred_lines = linked(dataclasses.replace(read, line_stacks=stacks), walk, scope, is_hlo=True)
        for line in hidden & set(inferred_lines.inferred):
            counts.hidden += 1
            counts.hidden_right += _where(walk, inferred_lines.line_stacks[line]) == _where(
                walk, refined.line_stacks[line]
            )
    return counts


def _where(walk: Walk, stack: int) -> tuple[int, int] | None:
    user = walk.positions.stacks[stack][0]
    file, _, line, *_ = walk.positions.frames[user[0]] if user else (-1, 0, -1)
    return file, line


def shares() -> Iterator[Row]:
    """Measure the links of every program, and of all programs together."""
    total = Found()
    for name, make in linked_programs():
        counts = look_at(make())
        total.add(counts)
        yield _row(f"links, {name}", counts)
    yield _row("links, all programs", total)


def _row(title: str, counts: Found) -> Row:
    def share(part: int, total: int) -> str:
        return f"{100 * part / total:.0f}%" if total else "-"

    right = counts.right / counts.compared if counts.compared else 1.0
    inferred = counts.hidden_right / counts.hidden if counts.hidden else 1.0
    return Row(
        what=f"{title} ({counts.instructions:,} instructions)",
        budget="99 % right",
        measured=(
            f"line {share(counts.with_line, counts.instructions)} / "
            f"group {share(counts.with_group, counts.instructions)} / "
            f"one {share(counts.with_one, counts.instructions)}, "
            f"of the twin {share(counts.exact, counts.instructions)} "
            f"({counts.others:,} other lines); right {right:.2%} of {counts.compared:,}; "
            f"{counts.named:,} named as one of several, right {share(counts.named_right, counts.named)}; "
            f"inferred {counts.inferred:,}, right {inferred:.1%} of {counts.hidden:,} hidden"
        ),
        ratio=None,
        ok=right >= 0.99 and counts.named_right >= 0.99 * counts.named,
        figures=dataclasses.asdict(counts),
    )
