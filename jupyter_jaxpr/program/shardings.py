"""An executable over several devices in, how its arrays are spread out, and the collectives of its HLO.

Everything is stated by JAX and XLA: shardings by the executable, collectives by its text. A picture of an array is a
table: its blocks along the axes that are split, and the numbers of the devices that hold each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .sizes import element_bytes

Role = Literal["argument", "result"]
Range = tuple[int, int]

KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute", "collective-broadcast")

# An asynchronous one is started and ended on two lines: it counts where it starts.
_COLLECTIVE = re.compile(rf"= (?P<types>.+?) (?P<kind>{'|'.join(KINDS)})(?:-start)?\(")
_GROUPS = re.compile(
    r"(?:replica_groups|source_target_pairs)="
    r"((?:mesh\[[^\]]*\] )?\{(?:[^{}]|\{[^{}]*\})*\}|\[[^\s{}]*[^\s{},])"
)
_TYPE = re.compile(r"\b([a-z]+\d+[a-z0-9]*|pred)\[([\d,]*)\]")
_LONG = {"f": "float", "bf": "bfloat", "s": "int", "u": "uint", "c": "complex"}


@dataclass(frozen=True)
class ShardedArray:
    """How one array is spread.

    Attributes:
        name: A path such as ``p['w']``; of a result ``result`` and its place.
        role: An argument or a result.
        shape: Of the whole array.
        sharding: As JAX prints it, such as ``P('x', None)``.
        shard: Shape of what each device holds.
        blocks: Of each device: its number, and the range of each axis that it holds.
    """

    name: str
    role: Role
    shape: tuple[int, ...]
    dtype: str
    sharding: str
    shard: tuple[int, ...]
    blocks: tuple[tuple[int, tuple[Range, ...]], ...]

    @property
    def copies(self) -> int:
        """How many devices hold the same part; the largest number where they differ."""
        held = [ranges for _, ranges in self.blocks]
        return max((held.count(ranges) for ranges in set(held)), default=0)

    @property
    def picture(self) -> str:
        """The table of blocks and the devices that hold them."""
        split = [axis for axis in range(len(self.shape)) if len({ranges[axis] for _, ranges in self.blocks}) > 1]
        if not split:
            return f"every device holds all of it: {_devices([device for device, _ in self.blocks])}"
        rows, columns = split[0], split[1] if len(split) > 1 else None
        if columns is None and len(self.shape) > 1:
            columns = next(axis for axis in reversed(range(len(self.shape))) if axis != rows)
            rows, columns = sorted((rows, columns))
        cells: dict[tuple[Range, Range | None], list[int]] = {}
        for device, ranges in self.blocks:
            cells.setdefault((ranges[rows], None if columns is None else ranges[columns]), []).append(device)
        tops = sorted({top for _, top in cells}, key=lambda top: top or (0, 0))
        table = [["", *("" if top is None else _range(top) for top in tops)]]
        for side in sorted({side for side, _ in cells}):
            table.append([_range(side), *(_devices(cells.get((side, top), [])) for top in tops)])
        if columns is None:
            table = table[1:]
        widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
        lines = [
            " │ ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in table
        ]
        more = [axis for axis in split if axis not in (rows, columns)]
        if more:
            lines.append(f"split along {_axes(more)} too")
        return "\n".join(lines)


@dataclass(frozen=True)
class Collective:
    """An instruction by which devices exchange values.

    Attributes:
        kind: Such as ``all-reduce``.
        line: Of the HLO, from 0.
        bytes: Of its result on each device; None where a type is not known.
        groups: Which devices take part with each other, as XLA prints it; empty where it says nothing.
    """

    kind: str
    line: int
    bytes: int | None
    groups: str


def collectives(lines: Sequence[str]) -> list[Collective]:
    """The collectives of an executable's text, in its order."""
    found = []
    for number, line in enumerate(lines):
        match = _COLLECTIVE.search(line)
        if match is not None:
            groups = _GROUPS.search(line)
            size = _bytes(match["types"], line[match.end("types") :].lstrip().startswith(f"{match['kind']}-start"))
            found.append(Collective(match["kind"], number, size, groups[1] if groups else ""))
    return found


def sharded_arrays(
    executable: Any, jaxpr: Any, inputs: Sequence[str], results: Sequence[str]
) -> tuple[ShardedArray, ...]:
    """The arrays that a compiled program takes and gives; those that it does not use are left out.

    Args:
        executable: A `jax.stages.Compiled`.
        jaxpr: Its program.
        inputs: A path for each input, or nothing.
        results: Likewise.

    Raises:
        AttributeError: An executable that does not say its shardings.
    """
    import jax

    def flat(tree: Any) -> list[Any]:
        return list(jax.tree_util.tree_leaves(tree, is_leaf=lambda leaf: leaf is None))

    found = []
    sides: tuple[tuple[Role, Any, Any, Sequence[str]], ...] = (
        ("argument", executable.input_shardings, jaxpr.in_avals, inputs),
        ("result", executable.output_shardings, jaxpr.out_avals, results),
    )
    for role, shardings, avals, names in sides:
        spread = flat(shardings)
        own = list(avals)[len(avals) - len(spread) :]  # closed-over values come first
        known = list(names)[len(names) - len(spread) :] if len(names) == len(avals) else [""] * len(spread)
        for place, (sharding, aval, name) in enumerate(zip(spread, own, known, strict=True)):
            if sharding is not None and hasattr(sharding, "devices_indices_map"):
                label = name or (f"{role}[{place}]" if len(spread) > 1 else role)
                found.append(_array(label, role, sharding, tuple(aval.shape), str(aval.dtype)))
    return tuple(found)


def _array(name: str, role: Role, sharding: Any, shape: tuple[int, ...], dtype: str) -> ShardedArray:
    blocks = []
    for device, index in sharding.devices_indices_map(shape).items():
        ranges = tuple(part.indices(size)[:2] for part, size in zip(index, shape, strict=True))
        blocks.append((int(device.id), ranges))
    return ShardedArray(
        name=name,
        role=role,
        shape=shape,
        dtype=dtype,
        sharding=str(sharding.spec if hasattr(sharding, "spec") else sharding),
        shard=tuple(sharding.shard_shape(shape)),
        blocks=tuple(sorted(blocks)),
    )


def _bytes(types: str, starts: bool) -> int | None:
    """Bytes of a result by its printed types; what is started gives its operands too, before its results."""
    sizes = []
    for name, shape in _TYPE.findall(types):
        match = re.fullmatch(r"([a-z]+)(\d+)(\w*)", name)
        long = "bool" if name == "pred" else f"{_LONG.get(match[1], '?')}{match[2]}" if match else "?"
        size = element_bytes(long)
        if size is None:
            return None
        for axis in filter(None, shape.split(",")):
            size *= int(axis)
        sizes.append(size)
    if starts and types.startswith("("):
        sizes = sizes[len(sizes) // 2 :]
    return sum(sizes) if sizes else None


def _range(held: Range) -> str:
    return f"{held[0]}:{held[1]}"


def _devices(numbers: Sequence[int]) -> str:
    """Device numbers, runs of them as a range."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _axes(axes: Sequence[int]) -> str:
    return f"ax{'i' if len(axes) == 1 else 'e'}s {', '.join(map(str, axes))}"
