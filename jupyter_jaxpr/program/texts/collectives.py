"""Finds the collectives of an optimised HLO text: the arrays they move, and how often they run.

Everything is read from the text. An asynchronous collective has a start and an end instruction; it counts once, at its
start. XLA may combine the collectives of several equations into one instruction; if it states the origin of each array,
each array gets a row of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..jaxpr.bytes_of_types import element_bytes
from .hlo_instructions import Computation, Instruction, computations

KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute", "collective-broadcast")

Groups = tuple[tuple[int, ...], ...]

_OPCODES = {opcode: kind for kind in KINDS for opcode in (kind, f"{kind}-start")} | {"ragged-all-to-all": "all-to-all"}
_GROUPS = re.compile(
    r"(?:replica_groups|source_target_pairs)="
    r"((?:mesh\[[^\]]*\](?:, device_ids=\([^\s{}]*\))? )?\{(?:[^{}]|\{[^{}]*\})*\}|\[[^\s{}]*[^\s{},])"
)
#: Matches the device groups of a collective that are written in a form unknown to this module.
_NAMED = re.compile(r"(?:replica_groups|source_target_pairs)=(.+?)(?:, \w+=|$)")
_IOTA = re.compile(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?$")
_MESH = re.compile(r"mesh\[([^\]]*)\](?:, device_ids=\(([^\s{}]*)\))? \{([^{}]*)\}$")
#: Matches a non-ascending order of devices on a mesh: the shape of an array with the numbers from 0, and an order of
#: its axes.
_PLACED = re.compile(r"\[([\d,]+)\](?:T\(([\d,]+)\))?$")
_MESH_AXIS = re.compile(r"'([^']*)'=(\d+)$")
_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
_INDEX = re.compile(r"\bindex=(\d+)")
_TYPE = re.compile(r"\b([a-z]+\d+[a-z0-9]*|pred)\[([\d,]*)\]")
_LONG = {"f": "float", "bf": "bfloat", "s": "int", "u": "uint", "c": "complex"}
#: Groups are listed for programs with at most this many devices.
_MOST_LISTED = 1024


@dataclass(frozen=True)
class Piece:
    """Arrays of a collective that come from one place in the source.

    Attributes:
        line: The line of the HLO, from 0, that states where the arrays come from.
        bytes: The bytes of the arrays in the result on each device; None if a type is unknown.
        op_name: The name that XLA prints, such as ``jit(f)/transpose(jvp())/dot_general``; empty if XLA states none.
    """

    line: int
    bytes: int | None
    op_name: str


@dataclass(frozen=True)
class Collective:
    """An instruction by which devices exchange data.

    Attributes:
        name: The name of the instruction, such as ``all-reduce.4``.
        kind: The opcode, such as ``all-reduce``.
        line: The line of the HLO, from 0.
        bytes: The bytes of the result on each device, all arrays together; None if a type is unknown.
        arrays: The number of arrays that one run moves.
        groups_text: The groups of devices that exchange values, as XLA prints them; empty without groups.
        groups: The same groups as numbers of partitions; for a collective-permute, pairs of sender and receiver. None
            where the text is not understood.
        runs: The largest number of runs in one call; loops with an unknown number of steps count once.
        per_trip: True if the instruction is in a loop with an unknown number of steps.
        conditional: True if the instruction is in a branch.
        pieces: The moved arrays, by origin.
    """

    name: str
    kind: str
    line: int
    bytes: int | None
    arrays: int
    groups_text: str
    groups: Groups | None
    runs: int
    per_trip: bool
    conditional: bool
    pieces: tuple[Piece, ...]

    def sent(self, devices: int) -> int | None:
        """Estimate the bytes that a device sends in one run, with the ring algorithm; None if unknown.

        For ``n`` devices in a group and a result of ``b`` bytes on each device, all-reduce sends ``2 b (n-1)/n``,
        all-gather and all-to-all ``b (n-1)/n``, reduce-scatter ``b (n-1)``; collective-permute and
        collective-broadcast ``b``.

        Args:
            devices: The number of devices on which the program runs: it is the size of the group if XLA states no
                groups.
        """
        if self.bytes is None:
            return None
        if self.kind in ("collective-permute", "collective-broadcast"):
            return self.bytes
        if self.groups is None:
            return None
        number = max(map(len, self.groups), default=0) or devices
        if self.kind == "reduce-scatter":
            return self.bytes * (number - 1)
        return -(-self.bytes * (number - 1) * (2 if self.kind == "all-reduce" else 1) // number)


@dataclass
class _Runs:
    """How often a computation runs in one call of the program."""

    times: int = 0
    per_trip: bool = False
    conditional: bool = False


def collectives(lines: Sequence[str]) -> list[Collective]:
    """Return the collectives of an HLO text, in the order of the text."""
    module = computations(lines)
    if not any(instruction.opcode in _OPCODES for computation in module for instruction in computation.instructions):
        return []
    runs = _runs(module, lines)
    found_collectives = []
    for computation in module:
        users: dict[str, list[Instruction]] = {}
        for instruction in computation.instructions:
            for operand in instruction.operands:
                users.setdefault(operand, []).append(instruction)
        for instruction in computation.instructions:
            kind = _OPCODES.get(instruction.opcode)
            if kind is not None:
                of_it = runs.get(computation.name, _Runs(1))
                found_collectives.append(_collective(kind, instruction, users, lines, of_it))
    return found_collectives


def _collective(
    kind: str, instruction: Instruction, users: dict[str, list[Instruction]], lines: Sequence[str], runs: _Runs
) -> Collective:
    line = lines[instruction.line]
    result = instruction
    if instruction.opcode.endswith("-start"):
        # The type of an asynchronous start instruction may include the operands; the type of the end instruction is the
        # result.
        done_instructions = [user for user in users.get(instruction.name, []) if user.opcode.endswith("-done")]
        result = done_instructions[0] if done_instructions else instruction
    types = [] if result is instruction and instruction.opcode.endswith("-start") else _types(lines[result.line])
    sizes = [_bytes(name, shape) for name, shape in types]
    groups = _GROUPS.search(line)
    named = _NAMED.search(line)
    text = groups[1] if groups else named[1] if named else ""
    return Collective(
        name=instruction.name,
        kind=kind,
        line=instruction.line,
        bytes=_sum(sizes) if sizes else None,
        arrays=len(types) if kind != "all-to-all" else 1,
        groups_text=text,
        groups=_groups(text),
        runs=runs.times,
        per_trip=runs.per_trip,
        conditional=runs.conditional,
        pieces=_pieces(kind, instruction, sizes, users.get(result.name, []), lines),
    )


def _pieces(
    kind: str, instruction: Instruction, sizes: list[int | None], users: list[Instruction], lines: Sequence[str]
) -> tuple[Piece, ...]:
    """Return a row for each combined array, if XLA states the origin of each; else one row for all arrays."""
    full_piece = Piece(instruction.line, _sum(sizes) if sizes else None, instruction.op_name or "")
    # the arrays of an all-to-all are parts of one array, so they share a row
    if len(sizes) < 2 or kind == "all-to-all":
        return (full_piece,)
    pieces: dict[int, Piece] = {}
    for user in users:
        index = _INDEX.search(lines[user.line]) if user.opcode == "get-tuple-element" else None
        if index is not None and user.op_name and int(index[1]) < len(sizes):
            pieces[int(index[1])] = Piece(user.line, sizes[int(index[1])], user.op_name)
    if len(pieces) < len(sizes):
        return (full_piece,)
    return tuple(pieces[place] for place in sorted(pieces))


def _runs(module: Sequence[Computation], lines: Sequence[str]) -> dict[str, _Runs]:
    """Return {computation: how often it runs in one call}.

    XLA prints a computation before the ones that call it, so the text is read backwards.
    """
    runs = {computation.name: _Runs(1 if computation.is_entry else 0) for computation in module}
    for computation in reversed(module):
        caller_runs = runs[computation.name]
        for instruction in computation.instructions:
            trips: int | None = 1
            if instruction.opcode == "while":
                trip_match = _TRIPS.search(lines[instruction.line])
                trips = int(trip_match[1]) if trip_match else None
            for name in instruction.called:
                called = runs.get(name)
                if called is not None and called is not caller_runs:
                    called.times += caller_runs.times * (1 if trips is None else trips)
                    called.per_trip |= caller_runs.per_trip or trips is None
                    called.conditional |= caller_runs.conditional or instruction.opcode == "conditional"
    return runs


def _types(line: str) -> list[tuple[str, str]]:
    """Return the (dtype, shape) pairs of an instruction's result."""
    begin = line.find(" = ") + 3
    end = line.find(")" if line.startswith("(", begin) else " ", begin)
    if line.startswith("(", begin):
        depth = 0
        for place in range(begin, len(line)):
            depth += {"(": 1, ")": -1}.get(line[place], 0)
            if depth == 0:
                end = place
                break
    return _TYPE.findall(line, begin, end)


def _bytes(name: str, shape: str) -> int | None:
    match = re.fullmatch(r"([a-z]+)(\d+)(\w*)", name)
    long = "bool" if name == "pred" else f"{_LONG.get(match[1], '?')}{match[2]}" if match else "?"
    size = element_bytes(long)
    for axis in filter(None, shape.split(",")):
        size = None if size is None else size * int(axis)
    return size


def _sum(sizes: Sequence[int | None]) -> int | None:
    known_sizes = [size for size in sizes if size is not None]
    return sum(known_sizes) if len(known_sizes) == len(sizes) else None


def _groups(text: str) -> Groups | None:
    """Return the groups of devices, which XLA prints in one of three forms.

    The forms are: lists of numbers, axes of a mesh, and the shape of an array of numbers with an order of its axes.
    """
    if text.startswith("{"):
        inside = re.findall(r"\{([\d,]*)\}", text[1:-1])
        groups = tuple(tuple(_numbers(group)) for group in inside)
        return groups if sum(map(len, groups)) <= _MOST_LISTED else None
    iota, mesh = _IOTA.match(text), _MESH.match(text)
    if iota:
        shape, sizes = _numbers(iota[1]), _numbers(iota[2])
        order = _numbers(iota[3]) if iota[3] else list(range(len(sizes)))
        return _iota(sizes, order, shape[-1])
    if mesh:
        axes = [_MESH_AXIS.match(axis.strip()) for axis in mesh[1].split(",")]
        chosen = [axis.strip() for axis in mesh[3].split(",")]
        names = [f"'{axis[1]}'" for axis in axes if axis]
        if len(names) < len(axes) or not set(chosen) <= set(names):
            return None  # this module does not read groups over a part of a mesh axis: unknown
        sizes = [int(axis[2]) for axis in axes if axis]
        inner = [names.index(axis) for axis in chosen]
        order = [axis for axis in range(len(axes)) if axis not in inner] + inner
        length = 1
        for axis in inner:
            length *= sizes[axis]
        found_on_mesh = _iota(sizes, order, length)
        return found_on_mesh if mesh[2] is None or found_on_mesh is None else _placed(mesh[2], found_on_mesh)
    return None


def _placed(devices: str, places: Groups) -> Groups | None:
    """Return the devices at some places of a mesh; `devices` is the order of the devices on the mesh."""
    box = _PLACED.match(devices)
    if box is None:
        return None
    sizes = _numbers(box[1])
    laid = _iota(sizes, _numbers(box[2]) if box[2] else list(range(len(sizes))), 1)
    if laid is None or len(laid) != sum(map(len, places)):
        return None
    return tuple(tuple(laid[place][0] for place in group) for group in places)


def _iota(sizes: list[int], order: list[int], length: int) -> Groups | None:
    """Return the numbers from 0 in an array of these sizes, with permuted axes, cut into groups of a length."""
    import numpy as np

    total = 1
    for size in sizes:
        total *= size
    if not 0 < total <= _MOST_LISTED or sorted(order) != list(range(len(sizes))) or length < 1 or total % length:
        return None
    numbers = np.arange(total).reshape(sizes).transpose(order).reshape(-1, length)
    return tuple(tuple(map(int, row)) for row in numbers)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]
