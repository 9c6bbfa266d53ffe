"""Measures the share of linked HLO instructions, and the share of right links, against a tagged twin."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
from linked_programs import Made, linked_programs
from rows import Row

from jupyter_jaxpr.measure.again.twin_compile import lower_twin
from jupyter_jaxpr.program.jaxpr.walk import Walk
from jupyter_jaxpr.program.texts.exact_lines import differing
from jupyter_jaxpr.program.texts.hlo import executable_text, hlo_lines
from jupyter_jaxpr.program.texts.hlo_module import TRIVIAL, computations
from jupyter_jaxpr.program.texts.line_groups import Groups
from jupyter_jaxpr.program.texts.stablehlo import LinesOfText
from jupyter_jaxpr.program.texts.text_links import linked, primitives
from jupyter_jaxpr.program.texts.twin import equations_named, untagged

# One of so many lines is hidden, to compare its inferred link with its stated link.
_HIDDEN = 10


@dataclass
class Found:
    """The counts of one program's instructions, without instructions that only move values."""

    instructions: int = 0
    with_line: int = 0
    with_group: int = 0
    with_one: int = 0
    inferred: int = 0
    # The groups of the twin that could be compared, and the groups with the true equation.
    compared: int = 0
    right: int = 0
    # The stated lines that were hidden and inferred, and the lines that were inferred correctly.
    hidden: int = 0
    # The instructions of the twins from exactly one equation, and the lines of the twins that the programs lack.
    exact: int = 0
    others: int = 0
    hidden_right: int = 0
    # The lines of the twin that name one equation of several, and the lines that name the true one.
    named: int = 0
    named_right: int = 0

    def add(self, other: Found) -> None:
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def look_at(made: Made) -> Found:
    """Link one program, and its twin."""
    function, arguments = made
    traced = jax.jit(function).trace(*arguments)
    walk = Walk()
    scope = walk.program(traced.jaxpr)
    groups = Groups(walk, scope)
    found = Found()

    def instructions(lines: LinesOfText) -> list[Any]:
        module = computations(lines.text.split("\n"))
        return [each for part in module for each in part.instructions if each.opcode not in TRIVIAL]

    read = hlo_lines(executable_text(traced.lower().compile()), walk.positions)
    lines = linked(read, walk, scope, is_hlo=True)
    for each in instructions(lines):
        stack = lines.line_stacks[each.line]
        group = groups.of(stack, *lines.other_stacks.get(each.line, ()))
        found.instructions += 1
        found.with_line += stack >= 0 and bool(walk.positions.stacks[stack][0])
        found.with_group += bool(group)
        found.with_one += len(group) == 1 or each.line in lines.named
        found.inferred += each.line in set(lines.inferred)

    tagged = hlo_lines(executable_text(lower_twin(walk, scope, traced).compile()), walk.positions)
    # A link does not use the tags.
    named = {line: untagged(name) for line, name in tagged.op_names.items()}
    lines = linked(dataclasses.replace(tagged, op_names=named), walk, scope, is_hlo=True)
    for each in instructions(tagged):
        found.exact += len(equations_named(each.op_name or "")) == 1
        true = set(equations_named(each.op_name or ""))
        group = groups.of(lines.line_stacks[each.line], *lines.other_stacks.get(each.line, ()))
        if true and group:
            found.compared += 1
            found.right += bool(true & group)
            if each.line in lines.named:
                found.named += 1
                found.named_right += lines.named[each.line] in true

    found.others = differing(untagged(tagged.text).split("\n"), read.text.split("\n"))

    # Hide a stated line: is the same line inferred? Names such as closed_call only name the place of a call.
    refined = linked(read, walk, scope, is_hlo=True)
    known = {walk.strings.items[primitive] for columns in walk.scopes for primitive in columns.primitive}
    stated = {line for line, name in read.op_names.items() if primitives(name) <= known and read.line_stacks[line] >= 0}
    for first in range(_HIDDEN):
        hidden = {line for line in stated if line % _HIDDEN == first}
        stacks = [-1 if line in hidden else stack for line, stack in enumerate(read.line_stacks)]
        again = linked(dataclasses.replace(read, line_stacks=stacks), walk, scope, is_hlo=True)
        for line in hidden & set(again.inferred):
            found.hidden += 1
            found.hidden_right += _where(walk, again.line_stacks[line]) == _where(walk, refined.line_stacks[line])
    return found


def _where(walk: Walk, stack: int) -> tuple[int, int] | None:
    user = walk.positions.stacks[stack][0]
    file, _, line, *_ = walk.positions.frames[user[0]] if user else (-1, 0, -1)
    return file, line


def shares() -> Iterator[Row]:
    """Measure the links of every program, and of all programs together."""
    total = Found()
    for name, make in linked_programs():
        found = look_at(make())
        total.add(found)
        yield _row(f"links, {name}", found)
    yield _row("links, all programs", total)


def _row(what: str, found: Found) -> Row:
    def share(part: int, whole: int) -> str:
        return f"{100 * part / whole:.0f}%" if whole else "-"

    right = found.right / found.compared if found.compared else 1.0
    inferred = found.hidden_right / found.hidden if found.hidden else 1.0
    return Row(
        what=f"{what} ({found.instructions:,} instructions)",
        budget="99 % right",
        measured=(
            f"line {share(found.with_line, found.instructions)} / "
            f"group {share(found.with_group, found.instructions)} / "
            f"one {share(found.with_one, found.instructions)}, of the twin {share(found.exact, found.instructions)} "
            f"({found.others:,} other lines); right {right:.2%} of {found.compared:,}; "
            f"{found.named:,} named as one of several, right {share(found.named_right, found.named)}; "
            f"inferred {found.inferred:,}, right {inferred:.1%} of {found.hidden:,} hidden"
        ),
        ratio=None,
        ok=right >= 0.99 and found.named_right >= 0.99 * found.named,
        figures=dataclasses.asdict(found),
    )
