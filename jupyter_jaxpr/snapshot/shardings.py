"""The live handles of a program in, how its arrays are spread over devices out, and who asked for each collective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..program.shardings import Collective, ShardedArray, collectives, sharded_arrays
from ..quantities import size
from .levels import Unavailable
from .pools import Pools

if TYPE_CHECKING:
    from .live import Sources

_NOT_COMPILED = "JAX has not compiled this program, so nothing is spread yet. Inspect it with stage='compile'."
_UNKNOWN = "This executable does not say how its arrays are spread. Call the function, or inspect it, in this kernel."


@dataclass(frozen=True)
class CausedCollective:
    """A collective and what caused it.

    Attributes:
        collective: The instruction.
        line: Of the user's code, from 1; None where XLA does not say.
        equations: Primitives of the equations that come from the same expression, in the order of the program; empty
            where there is none.
    """

    collective: Collective
    line: int | None
    equations: tuple[str, ...]


@dataclass(frozen=True)
class Shardings:
    """How a program is spread over devices; as text, with a picture of each array.

    Attributes:
        devices: How many it runs on.
        arrays: Its arguments and results.
        collectives: In the order of the HLO.
    """

    devices: int
    arrays: tuple[ShardedArray, ...]
    collectives: tuple[CausedCollective, ...]

    @property
    def bytes(self) -> int | None:
        """What the collectives give on each device, together; None where one is not known."""
        sizes = [each.collective.bytes for each in self.collectives]
        return None if None in sizes else sum(each for each in sizes if each is not None)

    def __str__(self) -> str:
        """Every array with its picture, then every collective."""
        blocks = [f"{self.devices} device{'' if self.devices == 1 else 's'}"]
        for array in self.arrays:
            whole, shard = (f"{array.dtype}{list(shape)}" for shape in (array.shape, array.shard))
            copies = f", {array.copies} copies of each part" if array.copies > 1 else ""
            head = f"{array.role} {array.name}: {whole}, {array.sharding}: {shard} on each device{copies}"
            blocks.append(head + "\n" + "\n".join(f"  {line}" for line in array.picture.split("\n")))
        lines = []
        for each in self.collectives:
            held = "unknown size" if each.collective.bytes is None else f"{size(each.collective.bytes)} on each device"
            where = "no source stated" if each.line is None else f"line {each.line}"
            made = f" ({', '.join(each.equations)})" if each.equations else ""
            lines.append(f"{each.collective.kind}: {held}, {where}{made}, {each.collective.groups or 'all devices'}")
        blocks.append("\n".join(lines) if lines else "no collectives: the devices exchange nothing")
        return "\n\n".join(blocks)


def shardings_of(sources: Sources, program: int) -> Shardings:
    """How a program of a run is spread; nothing runs.

    Raises:
        Unavailable: It was not compiled, or does not say.
    """
    observed, document = sources.observed(program), sources.document
    if observed.executable is None:
        raise Unavailable(_NOT_COMPILED)
    shown = document.programs[program]
    try:
        arrays = sharded_arrays(observed.executable, observed.jaxpr, shown.input_names, shown.result_names)
    except AttributeError:
        raise Unavailable(_UNKNOWN) from None
    devices = {device for array in arrays for device, _ in array.blocks}
    text = sources.text(program, "hlo")
    columns = sources.walk
    by_place: dict[tuple[object, ...], list[str]] = {}
    waiting, seen = [shown.scope], {shown.scope}
    for number in waiting:
        scope = columns.scopes[number]
        for equation, stack in enumerate(scope.stack):
            place = _walked_place(sources, stack)
            if place is not None:
                by_place.setdefault(place, []).append(columns.strings.items[scope.primitive[equation]])
        for *_, child in scope.children:
            if child not in seen:
                seen.add(child)
                waiting.append(child)
    found = []
    for each in collectives(text.lines):
        place = _text_place(text.pools, text.line_stacks[each.line])
        line = None if place is None else place[1]
        found.append(CausedCollective(each, line if isinstance(line, int) else None, _once(by_place.get(place or ()))))
    return Shardings(len(devices), arrays, tuple(found))


def _walked_place(sources: Sources, stack: int) -> tuple[object, ...] | None:
    """Where an equation comes from: file, line, columns; None for nowhere."""
    if stack < 0:
        return None
    positions = sources.walk.positions
    frames = positions.stacks[stack][0]
    if not frames:
        return None
    number, _, *place = positions.frames[frames[0]]
    return (positions.files[number].path, *place)


def _text_place(pools: Pools, stack: int) -> tuple[object, ...] | None:
    """The same of a line of a text."""
    if stack < 0 or not pools.stacks[stack].frames:
        return None
    frame = pools.frames[pools.stacks[stack].frames[0]]
    path = pools.files[frame.file].path
    return (path, frame.line, frame.column, frame.end_line, frame.end_column)


def _once(names: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names or ()))
