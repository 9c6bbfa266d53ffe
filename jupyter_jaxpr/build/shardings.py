"""Builds the document's shardings from a compiled program and the lines of its HLO."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from ..document.read.shardings import decided, exchanged, often
from ..document.types.document import Program
from ..document.types.shardings import (
    Cause,
    Collective,
    EquationPlace,
    Layout,
    MeshAxis,
    ProgramShardings,
    SpreadArray,
)
from ..observe.observation import ObservedProgram
from ..program.jaxpr.sizes import aval_bytes
from ..program.jaxpr.walk import Walk
from ..program.texts import collectives as found
from ..program.texts.shardings import Spread, device_count, spread_of

#: The most collectives of a program, and the most equations of a source place, that a document lists.
MOST_COLLECTIVES = 1_000
MOST_EQUATIONS = 50
#: The largest integer that JSON readers read exactly; it stands for every larger number.
MOST = 2**63 - 1
_SEVERAL = re.compile(r"[;:]")


@dataclass(frozen=True)
class HloLines:
    """The lines of a program's optimised HLO; the stacks of the lines are in the pools of the walk."""

    lines: Sequence[str]
    line_stacks: Sequence[int]
    inferred_lines: Sequence[int]
    other_stacks: Sequence[Sequence[int]]


def is_spread(observed: ObservedProgram) -> bool:
    """Return whether a program was compiled for more than one device."""
    return observed.executable is not None and device_count(observed.executable) > 1


def program_shardings(
    walk: Walk, number: int, program: Program, observed: ObservedProgram, hlo: HloLines | None
) -> ProgramShardings:
    """Return the shardings of a compiled program.

    Args:
        walk: The walk that has the columns of the program.
        number: The index of the program in its document.
        program: The document's struct of the program.
        observed: JAX's own objects of the program.
        hlo: The optimised HLO, if JAX has printed it; without it the collectives are unknown.

    Raises:
        AttributeError: The executable does not state its shardings.
    """
    spread = spread_of(
        observed.executable, observed.lowered, walk, program.scope, program.input_names, program.result_names
    )
    layouts = {layout: place for place, layout in enumerate(dict.fromkeys(array.layout for array in spread.arrays))}
    shardings = ProgramShardings(
        program=number,
        devices=sorted(spread.devices),
        layouts=[
            Layout(
                kind=layout.kind,
                spec=layout.spec,
                mesh=[MeshAxis(name=name, size=size) for name, size in layout.mesh],
                splits=list(layout.splits),
                holders=[list(devices) for devices in layout.holders],
            )
            for layout in layouts
        ],
        arrays=[
            SpreadArray(
                role=array.role,
                name=array.name,
                type=array.aval.text,
                shape=list(array.aval.shape),
                bytes=aval_bytes(array.aval),
                shard=None if array.shard is None else list(array.shard),
                layout=layouts[array.layout],
                origin=array.origin,
                scope=array.scope,
                equation=array.equation,
                decided=decided(array.origin, _line(walk, array.scope, array.equation)),
            )
            for array in spread.arrays
        ],
        left_out=spread.left_out,
    )
    return shardings if hlo is None else _with_collectives(shardings, spread, walk, program.scope, hlo)


def _line(walk: Walk, scope: int, equation: int) -> int | None:
    stack = walk.scopes[scope].stack[equation] if scope >= 0 else -1
    frames = walk.positions.stacks[stack][0] if stack >= 0 else ()
    return walk.positions.frames[frames[0]][2] if frames else None


def _with_collectives(
    shardings: ProgramShardings, spread: Spread, walk: Walk, scope: int, hlo: HloLines
) -> ProgramShardings:
    all_collectives = found.collectives(hlo.lines)
    count = len(spread.devices)
    sent = [collective.sent(count) for collective in all_collectives]
    causes = _Causes(walk, scope, hlo) if all_collectives else None
    read = msgspec.structs.replace(
        shardings,
        collectives=[
            Collective(
                name=collective.name,
                kind=collective.kind,
                line=collective.line,
                bytes=collective.bytes,
                sent=ring,
                arrays=collective.arrays,
                groups_text=collective.groups_text[:1000],
                groups=_devices(collective.groups, spread),
                runs=min(collective.runs, MOST),
                causes=causes.of(collective) if causes is not None else [],
                per_trip=collective.per_trip,
                conditional=collective.conditional,
                often=often(min(collective.runs, MOST), collective.per_trip, collective.conditional),
            )
            for collective, ring in zip(all_collectives[:MOST_COLLECTIVES], sent, strict=False)
        ],
        collectives_left_out=max(len(all_collectives) - MOST_COLLECTIVES, 0),
        bytes=_total([(collective.bytes, collective.runs) for collective in all_collectives]),
        sent=_total([(ring, collective.runs) for ring, collective in zip(sent, all_collectives, strict=True)]),
    )
    return msgspec.structs.replace(read, exchanged=exchanged(read))


def _total(parts: Sequence[tuple[int | None, int]]) -> int | None:
    sizes = [None if size is None else size * runs for size, runs in parts]
    known_sizes = [size for size in sizes if size is not None]
    return min(sum(known_sizes), MOST) if len(known_sizes) == len(sizes) else None


def _devices(groups: found.Groups | None, spread: Spread) -> list[list[int]]:
    """Convert groups of partitions to groups of devices; [] if the device of a partition is unknown."""
    if not spread.ordered:
        return []
    if not groups:
        return [] if groups is None else [list(spread.devices)]
    if any(partition >= len(spread.devices) for group in groups for partition in group):
        return []
    return [[spread.devices[partition] for partition in group] for group in groups]


class _Causes:
    """Finds the equations and the source lines that caused the collectives in the HLO."""

    def __init__(self, walk: Walk, scope: int, hlo: HloLines) -> None:
        self._walk = walk
        self._hlo = hlo
        self._inferred = set(hlo.inferred_lines)
        self._others = {line: stacks for line, *stacks in hlo.other_stacks}
        self._by_stack: dict[int, list[EquationPlace]] = {}
        self._by_frames: dict[tuple[int, ...], list[EquationPlace]] = {}
        self._index(scope)

    def _index(self, root: int) -> None:
        """Index the equations by their stacks.

        An equation without a user frame gets the stacks of the call of its scope.
        """
        walk = self._walk
        waiting, stacks_of = [root], {root: [-1]}
        for scope in waiting:
            columns = walk.scopes[scope]
            equation_stacks = {}
            for equation, stack in enumerate(columns.stack):
                stacks = [stack] if self._frames(stack) else stacks_of[scope]
                equation_stacks[equation] = stacks
                place = EquationPlace(scope=scope, equation=equation)
                for numbered_stack in dict.fromkeys(stacks):
                    self._by_stack.setdefault(numbered_stack, []).append(place)
                for frames in dict.fromkeys(map(self._frames, stacks)):
                    self._by_frames.setdefault(frames, []).append(place)
            for equation, *_, child in columns.children:
                if child not in stacks_of:
                    stacks_of[child] = equation_stacks[equation]
                    waiting.append(child)

    def _frames(self, stack: int) -> tuple[int, ...]:
        return tuple(self._walk.positions.stacks[stack][0]) if stack >= 0 else ()

    def of(self, collective: found.Collective) -> list[Cause]:
        """Return the places in the user's code that caused a collective, each place once."""
        causes: dict[tuple[object, ...], Cause] = {}
        for piece in collective.pieces:
            cause = self._cause(piece)
            key = (cause.file, cause.line, cause.op_name)
            earlier = causes.get(key)
            if earlier is not None:
                total_bytes = None if earlier.bytes is None or cause.bytes is None else earlier.bytes + cause.bytes
                cause = msgspec.structs.replace(earlier, bytes=total_bytes)
            causes[key] = cause
        return list(causes.values())

    def _cause(self, piece: found.Piece) -> Cause:
        stack = self._hlo.line_stacks[piece.line]
        file, line = "", None
        frames = self._frames(stack)
        if frames:
            number, _, line, *_ = self._walk.positions.frames[frames[0]]
            file = self._walk.positions.files[number].path
        equations: dict[EquationPlace, None] = {}
        for numbered_stack in (stack, *self._others.get(piece.line, ())):
            equations.update(dict.fromkeys(self._equations(numbered_stack)))
        named = self._named(list(equations), piece.op_name)
        return Cause(
            bytes=piece.bytes,
            op_name=piece.op_name[:1000],
            file=file,
            line=line,
            equations=named[:MOST_EQUATIONS],
            left_out=max(len(named) - MOST_EQUATIONS, 0),
            inferred=piece.line in self._inferred,
        )

    def _equations(self, stack: int) -> list[EquationPlace]:
        frames = self._frames(stack)
        if not frames:
            return []
        library = self._walk.positions.stacks[stack][1]
        exact = self._by_stack.get(stack) if library else None
        return exact or self._by_frames.get(frames, [])

    def _named(self, equations: list[EquationPlace], op_name: str) -> list[EquationPlace]:
        """Return the equations whose primitive and name stack match XLA's op_name; if none matches, all of them."""
        walk, strings = self._walk, self._walk.strings.items
        parts = _SEVERAL.split(op_name)
        primitives = {part.rsplit("/", 1)[-1].rstrip(")") for part in parts}
        named, exact = [], []
        for place in equations:
            columns = walk.scopes[place.scope]
            primitive = strings[columns.primitive[place.equation]]
            if primitive in primitives:
                named.append(place)
                stack = columns.name_stack[place.equation]
                names = strings[stack] if stack >= 0 else ""
                if names and f"/{names}/{primitive}" in f"/{op_name}":
                    exact.append(place)
        return exact or named or equations
