"""Describes the shardings of a document for scripts: pictures of arrays as text, and collectives with their causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...quantities import count, size
from ..types.document import Snapshot
from ..types.shardings import Cause, Collective, Layout, ProgramShardings, SpreadArray

_ORIGINS = {
    "given": "sharding set before compiling",
    "stated": "sharding set by an equation",
    "chosen": "sharding chosen by XLA",
    "unknown": "",
}
#: The text in place of the picture of an array; the panel has the same text.
UNKNOWN_DEVICES = "It is unknown which device holds which shard."
_ROLES = {
    "argument": "argument",
    "result": "result",
    "constraint": "sharding_constraint",
    "shard_map_in": "shard_map",
    "shard_map_out": "shard_map",
}


@dataclass(frozen=True)
class ShardedArray:
    """How one array is split over devices.

    Attributes:
        role: ``argument``, ``result``, ``constraint``, ``shard_map_in`` or ``shard_map_out``.
        name: A path such as ``p['w']``; for a result, ``result`` and its position.
        type: The type of the whole array, such as ``f32[8,16]``.
        shape: The shape of the whole array.
        spec: The sharding as JAX prints it, such as ``P('x', None)``.
        mesh: The names and sizes of the mesh's axes; empty without a mesh.
        shard: The shape of the part on each device; None if unknown.
        origin: ``given``, ``stated`` by an equation, ``chosen`` by XLA, or ``unknown``.
        splits: The number of parts along each axis.
        holders: For each part, the last axis fastest, the devices that hold it; empty if unknown.
        line: For an equation, its line in the user's code; else None.
    """

    role: str
    name: str
    type: str
    shape: tuple[int | str, ...]
    spec: str
    mesh: tuple[tuple[str, int], ...]
    shard: tuple[int, ...] | None
    origin: str
    splits: tuple[int, ...]
    holders: tuple[tuple[int, ...], ...]
    line: int | None

    @property
    def copies(self) -> int:
        """The largest number of devices that hold the same part of the array; 0 if the devices are unknown."""
        return max(map(len, self.holders), default=0)

    @property
    def title(self) -> str:
        """The role of the array in the program, followed by its name."""
        return f"{_ROLES[self.role]} {self.name}".rstrip()

    @property
    def head(self) -> str:
        """The labels of the array, such as its type, how it is split, and who decided this."""
        shard = "shard unknown" if self.shard is None else f"shard [{','.join(map(str, self.shard))}] on each device"
        copies = f"{self.copies} copies of each shard" if self.copies > 1 else ""
        labels = (f"{self.title}: {self.type}", self.spec, shard, copies, decided(self.origin, self.line))
        return " · ".join(filter(None, labels))

    @property
    def picture(self) -> str:
        """The array as a table of text: each cell is a part, with the devices that hold it.

        Two of the split axes are shown.
        """
        if not self.holders or self.shard is None:
            return UNKNOWN_DEVICES
        split = [axis for axis, parts in enumerate(self.splits) if parts > 1]
        if not split:
            return f"Every device holds the whole array: {_devices(self.holders[0])}"
        rows, columns = split[0], split[1] if len(split) > 1 else None
        if columns is None and len(self.shape) > 1:
            columns = next(axis for axis in reversed(range(len(self.shape))) if axis != rows)
            rows, columns = sorted((rows, columns))
        cells: dict[tuple[int, int], list[int]] = {}
        for part, devices in enumerate(self.holders):
            place = self._place(part)
            cells.setdefault((place[rows], 0 if columns is None else place[columns]), []).extend(devices)
        across = 1 if columns is None else self.splits[columns]
        table = [["", *("" if columns is None else self._range(columns, top) for top in range(across))]]
        for side in range(self.splits[rows]):
            table.append([self._range(rows, side), *(_devices(cells.get((side, top), ())) for top in range(across))])
        if columns is None:
            table = table[1:]
        widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
        lines = [
            " │ ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in table
        ]
        other_axes = [axis for axis in split if axis not in (rows, columns)]
        if other_axes:
            axes = ", ".join(map(str, other_axes))
            also = f"The array is also split along axis {axes}." if len(other_axes) == 1 else ""
            lines.append(also or f"The array is also split along axes {axes}.")
        return "\n".join(lines)

    def _place(self, part: int) -> list[int]:
        """Return the position of a part along each axis, given its index."""
        place = []
        for parts in reversed(self.splits):
            place.append(part % parts)
            part //= parts
        return place[::-1]

    def _range(self, axis: int, part: int) -> str:
        shard_length, axis_length = (self.shard or ())[axis], self.shape[axis]
        end = (part + 1) * shard_length
        return f"{part * shard_length}:{min(end, axis_length) if isinstance(axis_length, int) else end}"


@dataclass(frozen=True)
class CausedCollective:
    """A collective, and the user's code that caused it.

    Attributes:
        collective: The HLO instruction; its bytes are those of one run.
        lines: The lines of the user's code that caused the collective, from 1; empty if XLA does not state them.
        equations: The primitives of the equations that come from these lines, in the order of `lines`; empty
            if there are none.
        inferred: True if XLA states no place, so that it was inferred from other lines of the HLO.
    """

    collective: Collective
    lines: tuple[int, ...]
    equations: tuple[str, ...]
    inferred: bool

    def __str__(self) -> str:
        """Return the labels: ``all-reduce: 32 B on each device · once per call · line 20: add · all 8 devices``."""
        collective = self.collective
        amount = (
            f"{collective.kind}: size unknown"
            if collective.bytes is None
            else f"{collective.kind}: {size(collective.bytes)} on each device"
        )
        origin = _lines(self.lines)
        if self.equations:
            origin = f"{origin}: {', '.join(self.equations)}"
        inferred = "source line inferred" if self.inferred else ""
        arrays = f"{collective.arrays} arrays in one collective" if collective.arrays > 1 else ""
        return " · ".join(filter(None, (amount, self.often, origin, groups(collective), inferred, arrays)))

    @property
    def often(self) -> str:
        """How often the collective runs, as text: `once per call`."""
        return often(self.collective.runs, self.collective.per_trip, self.collective.conditional)


@dataclass(frozen=True)
class Shardings:
    """How a program is split over devices; its `str` has a picture of each array.

    Attributes:
        devices: The number of devices of the program.
        arrays: The arguments and results, then the arrays of equations.
        collectives: The collectives in the order of the HLO.
        bytes: The bytes of all results of collectives on each device in one call; None where one is unknown.
        sent: An estimate of the bytes that a device sends in one call by the ring algorithm; None where one is unknown.
        left_out: The number of arrays that are not in `arrays`, because there are too many.
        exchanged: Sentences on the bytes that the devices exchange in one call, and on what is unknown.
    """

    devices: int
    arrays: tuple[ShardedArray, ...]
    collectives: tuple[CausedCollective, ...]
    bytes: int | None
    sent: int | None
    left_out: int
    exchanged: str

    def __str__(self) -> str:
        """Return all arrays with their pictures, then all collectives."""
        blocks = [count(self.devices, "device")]
        for array in self.arrays:
            blocks.append(array.head + "\n" + "\n".join(f"  {line}" for line in array.picture.split("\n")))
        if self.left_out:
            blocks.append(f"{count(self.left_out, 'more array')} not listed")
        blocks.append("\n".join([self.exchanged, *map(str, self.collectives)]))
        return "\n\n".join(blocks)


def shardings_of(document: Snapshot, shardings: ProgramShardings) -> Shardings:
    """Return the shardings of a program in the form that scripts read."""
    return Shardings(
        devices=len(shardings.devices),
        arrays=tuple(_array(document, array, shardings.layouts[array.layout]) for array in shardings.arrays),
        collectives=tuple(_caused(document, collective) for collective in shardings.collectives or ()),
        bytes=shardings.bytes,
        sent=shardings.sent,
        left_out=shardings.left_out,
        exchanged=exchanged(shardings),
    )


def exchanged(shardings: ProgramShardings) -> str:
    """Return sentences on the bytes that the devices exchange in one call, and on what is unknown about them."""
    collectives = shardings.collectives
    if collectives is None:
        return (
            "The document does not hold the collectives of this program. "
            "Open Shardings in the panel, or call shardings() on the snapshot of a new run."
        )
    if not collectives:
        return "The program has no collectives: the devices exchange no data."
    collectives_text = count(len(collectives) + shardings.collectives_left_out, "collective")
    words = [
        f"The size of the results of {collectives_text} is unknown."
        if shardings.bytes is None
        else f"The results of {collectives_text} take {size(shardings.bytes)} on each device per call."
    ]
    if shardings.sent is not None:
        words.append(f"Each device sends about {size(shardings.sent)} per call (estimate for the ring algorithm).")
    if any(collective.per_trip for collective in collectives):
        words.append("For a loop with an unknown number of steps, these numbers count one step.")
    if any(collective.conditional for collective in collectives):
        words.append("These numbers count the collectives of every branch, as if each branch ran.")
    return " ".join(words)


def decided(origin: str, line: int | None) -> str:
    """Return who decided how an array is split, as text; '' if unknown."""
    return f"sharding set on line {line}" if line is not None else _ORIGINS[origin]


def often(runs: int, per_trip: bool, conditional: bool) -> str:
    """Return how often a collective runs, as text: `at most 3 times per loop step`."""
    collective_runs = "once" if runs == 1 else count(runs, "time")
    if per_trip:
        return f"at most {collective_runs} per loop step" if conditional else f"{collective_runs} per loop step"
    return f"at most {collective_runs} per call" if conditional else f"{collective_runs} per call"


def groups(collective: Collective) -> str:
    """Return the groups of devices as text: `2 groups of 4 devices`, or as XLA prints them."""
    device_groups = collective.groups
    if collective.kind == "collective-permute" and device_groups:
        return f"{count(len(device_groups), 'pair')} of devices"
    if not device_groups:
        return collective.groups_text or "all devices"
    if len(device_groups) == 1:
        return f"all {len(device_groups[0])} devices" if len(device_groups[0]) > 1 else "one device"
    return f"{len(device_groups)} groups of {count(max(map(len, device_groups)), 'device')}"


def _array(document: Snapshot, array: SpreadArray, layout: Layout) -> ShardedArray:
    return ShardedArray(
        role=array.role,
        name=array.name,
        type=array.type,
        shape=tuple(array.shape),
        spec=layout.spec,
        mesh=tuple((axis.name, axis.size) for axis in layout.mesh),
        shard=None if array.shard is None else tuple(array.shard),
        origin=array.origin,
        splits=tuple(layout.splits),
        holders=tuple(map(tuple, layout.holders)),
        line=_line(document, array.scope, array.equation),
    )


def _line(document: Snapshot, scope: int, equation: int) -> int | None:
    if scope < 0 or equation >= len(document.scopes[scope].stack):
        return None
    stack = document.scopes[scope].stack[equation]
    frames = document.stacks[stack].frames if stack >= 0 else []
    return document.frames[frames[0]].line if frames else None


def _caused(document: Snapshot, collective: Collective) -> CausedCollective:
    causes = collective.causes
    lines = dict.fromkeys(cause.line for cause in causes if cause.line is not None)
    primitives = dict.fromkeys(name for cause in causes for name in _primitives(document, cause))
    return CausedCollective(collective, tuple(lines), tuple(primitives), any(cause.inferred for cause in causes))


def _primitives(document: Snapshot, cause: Cause) -> list[str]:
    primitives = []
    for place in cause.equations:
        columns = document.scopes[place.scope].primitive
        if place.equation < len(columns):
            primitives.append(document.strings[columns[place.equation]])
    return primitives


def _lines(numbers: Sequence[int]) -> str:
    if not numbers:
        return "source line unknown"
    return f"line {numbers[0]}" if len(numbers) == 1 else f"lines {', '.join(map(str, numbers))}"


def _devices(numbers: Sequence[int]) -> str:
    """Return device numbers as text; consecutive numbers become a range."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
