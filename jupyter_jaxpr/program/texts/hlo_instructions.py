"""Parses the computations of an HLO text: each instruction with its line, operands and called computations.

The parser makes one pass over the text, and does not parse types or attributes: it takes about 20 ms per megabyte.
Lines that the parser does not understand are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

#: Opcodes that only move or name values; nobody asks for the source of such an instruction.
TRIVIAL = frozenset(
    {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "copy", "after-all", "partition-id"}
)

_OP_NAME = re.compile(r'\bop_name="((?:[^"\\]|\\.)*)"')
_CALLED = re.compile(r"\b(?:calls|to_apply|body|condition|called_computations|branch_computations)=\{?([^,{}]*)")
_BRANCHES = re.compile(r"\b(?:branch_computations|called_computations)=\{([^}]*)\}")
_NAME = re.compile(r"%?([\w.-]+)")
_OPERAND = re.compile(r"%([\w.-]+)")


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: one line of a computation.

    Attributes:
        called: the names of the computations that it calls: of a fusion, a loop's body and condition, a reduction's
            combiner.
        op_name: XLA's name of the operation, such as jit(f)/while/body/tanh; None if XLA states none.
    """

    line: int
    name: str
    opcode: str
    operands: tuple[str, ...]
    called: tuple[str, ...]
    op_name: str | None
    is_root: bool


@dataclass(slots=True)
class Computation:
    """A computation of the HLO module: a named list of instructions."""

    name: str
    is_entry: bool
    instructions: list[Instruction] = field(default_factory=list)


def computations(lines: Sequence[str]) -> list[Computation]:
    """Return the computations of a module's lines, in their order."""
    parts: list[Computation] = []
    current: Computation | None = None
    for number, line in enumerate(lines):
        if line.startswith(" "):
            if current is not None:
                instruction = _instruction(number, line)
                if instruction is not None:
                    current.instructions.append(instruction)
        elif line.endswith("{") and not line.startswith("HloModule"):
            is_entry = line.startswith("ENTRY ")
            match = _NAME.match(line[6:] if is_entry else line)
            current = Computation(match.group(1), is_entry) if match else None
            if current is not None:
                parts.append(current)
        elif line.startswith("}"):
            current = None
    return parts


def count(lines: Sequence[str]) -> int:
    """Return the number of instructions in an HLO text."""
    return sum(1 for line in lines if line.startswith("  ") and " = " in line)


def _instruction(number: int, line: str) -> Instruction | None:
    equals = line.find(" = ")
    if equals < 0:
        return None
    start = line.lstrip(" ")
    is_root = start.startswith("ROOT ")
    name = line[len(line) - len(start) + (5 if is_root else 0) : equals].lstrip("%")
    begin = equals + 3
    if line.startswith("(", begin):  # the type is a tuple, whose end is its closing bracket
        end = _closing(line, begin)
        begin = end + 1 if end > 0 else -1
    else:
        begin = line.find(" ", begin)
    opening = line.find("(", begin) if begin > 0 else -1
    if opening < 0:
        return None
    opcode = line[begin:opening].strip()
    closing = _closing(line, opening)
    if closing < 0:
        return None
    op_name = _OP_NAME.search(line, closing)
    called: tuple[str, ...] = ()
    if "=%" in line[closing:] or "computations={" in line[closing:] or "calls=" in line[closing:]:
        called = _called(line[closing:])
    return Instruction(
        line=number,
        name=name,
        opcode=opcode,
        operands=tuple(_OPERAND.findall(line, opening, closing)),
        called=called,
        op_name=op_name.group(1) if op_name else None,
        is_root=is_root,
    )


def _called(attributes: str) -> tuple[str, ...]:
    before = attributes.split(", metadata={", 1)[0]
    names = [match.strip().lstrip("%") for match in _CALLED.findall(before) if match.strip()]
    for inside in _BRANCHES.findall(before):
        names += [name.strip().lstrip("%") for name in inside.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


def _closing(line: str, opening: int) -> int:
    """Return the index of the bracket that closes the one at `opening`; -1 if there is none."""
    depth = 0
    index = opening
    while index < len(line):
        character = line[index]
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return index
        elif character == '"':
            index = line.find('"', index + 1)
            if index < 0:
                return -1
        index += 1
    return -1
