"""Builds the document's shardings from a compiled program and the lines of its HLO."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...document.limits import Listed
from ...document.read.shardings_for_scripts import decided, exchanged, often
from ...document.types.document import Program
from ...document.types.shardings import (
    Collective,
    Layout,
    MeshAxis,
    ProgramShardings,
    SpreadArray,
)
from ...observe.observation import ObservedProgram
from ...program.jaxpr.bytes_of_types import aval_bytes
from ...program.jaxpr.walk import Walk
from ...program.texts import collectives as found
from ...program.texts.parts_on_devices import Spread, device_count, spread_of
from .collective_causes import CollectiveCauses, HloLines

#: The largest integer that JSON readers read exactly; it stands for every larger number.
MOST = 2**63 - 1


def is_spread(observed: ObservedProgram) -> bool:
    """Return whether a program was compiled for more than one device."""
    return observed.executable is not None and device_count(observed.executable) > 1


def program_shardings(
    walk: Walk, number: int, program: Program, observed: ObservedProgram, hlo: HloLines | None
) -> ProgramShardings:
    """Return the shardings of a compiled program.

    Args:
        walk: The `Walk` that has read the equations of the program.
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
    causes = CollectiveCauses(walk, scope, hlo) if all_collectives else None
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
            for collective, ring in zip(all_collectives[: Listed.COLLECTIVES], sent, strict=False)
        ],
        collectives_left_out=max(len(all_collectives) - Listed.COLLECTIVES, 0),
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
