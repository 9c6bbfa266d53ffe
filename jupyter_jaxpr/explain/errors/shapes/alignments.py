"""Finds the new axes of size 1 that make two shapes broadcast, such as [:, None] for (3,) beside (3, 4)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

Shape = tuple[int, ...]

_MOST_AXES = 8


def broadcasts(*shapes: Shape) -> bool:
    """Return whether arrays of these shapes broadcast together."""
    rank = max(map(len, shapes), default=0)
    wide = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return all(len(set(sizes) - {1}) <= 1 for sizes in zip(*wide, strict=True))


def broadcast(*shapes: Shape) -> Shape:
    """Return the shape to which arrays of these shapes broadcast."""
    rank = max(map(len, shapes), default=0)
    wide = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(next((size for size in sizes if size != 1), 1) for sizes in zip(*wide, strict=True))


@dataclass(frozen=True)
class NewAxes:
    """New axes of size 1, with which an array broadcasts with another array.

    Attributes:
        index: The index that makes the axes, such as [:, None].
        shape: The shape of the array with the new axes.
    """

    index: str
    shape: Shape


def new_axes(short: Shape, long: Shape) -> list[NewAxes]:
    """Return each way to add axes of size 1 to a shape so that its other axes meet equal sizes in a longer shape."""
    if not short or len(short) >= len(long) or len(long) > _MOST_AXES:
        return []
    found: dict[Shape, NewAxes] = {}
    for places in itertools.combinations(range(len(long)), len(short)):
        if all(size in (long[place], 1) for size, place in zip(short, places, strict=True)):
            kept = range(places[0], len(long))
            sizes = dict(zip(places, short, strict=True))
            shape = tuple(sizes.get(place, 1) for place in kept)
            index = ", ".join(":" if place in sizes else "None" for place in kept)
            found.setdefault(shape, NewAxes(f"[{index}]", shape))
    return list(found.values())


def axes_of_size(size: int, shape: Sequence[int]) -> list[int]:
    """Return the indices of the axes in a shape that have this size."""
    return [axis for axis, axis_size in enumerate(shape) if axis_size == size]
