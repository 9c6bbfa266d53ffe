"""Prints a document's shardings for the exports: a table of arrays, pictures as text, collectives."""

from __future__ import annotations

from dataclasses import dataclass

from ..document.read.shardings_for_scripts import CausedCollective, ShardedArray, decided, groups, shardings_of
from ..document.types.document import Snapshot
from ..joined_names import listed
from ..quantities import count, size

HEAD = ("array", "type", "sharding", "shape of the shard on each device", "origin")
COLLECTIVES = ("collective", "bytes on each device", "runs", "line", "equations", "devices")
# The most arrays, and the most collectives, that are listed.
_MOST = 100
ESTIMATE = (
    "The bytes of a collective are the size of its result on each device. The bytes that a device sends are an "
    "estimate for the ring algorithm. With n devices and b bytes of result: all-reduce 2b(n-1)/n, all-gather and "
    "all-to-all b(n-1)/n, reduce-scatter b(n-1), all other collectives b."
)
_MORE_ARRAYS = ("more array of the program is not listed.", "more arrays of the program are not listed.")
_MORE_COLLECTIVES = (
    "more collective of the program is not listed. The sum of the bytes includes all collectives.",
    "more collectives of the program are not listed. The sum of the bytes includes all collectives.",
)


@dataclass(frozen=True)
class ShardingsText:
    """The shardings of a program as text."""

    title: str
    sentence: str
    rows: list[tuple[str, ...]]  # `rows`: a row of cells for each array, with the column headings in HEAD.
    pictures: list[tuple[str, str]]  # `pictures`: (names of the arrays with one sharding, picture of the sharding).
    collectives: list[tuple[str, ...]]  # `collectives`: a row for each collective, with the headings in COLLECTIVES.
    remarks: list[str]


def shardings_text(document: Snapshot) -> list[ShardingsText]:
    """Return the shardings, as text, of each program on several devices; the program in focus comes first."""
    spread = sorted(document.shardings, key=lambda cost: cost.program != document.focus)
    texts = []
    for program_shardings in spread:
        words = shardings_of(document, program_shardings)
        remarks = [ESTIMATE] if words.collectives else []
        if program_shardings.collectives is None:
            remarks = [words.exchanged]
        left_out_count = max(len(words.arrays) - _MOST, 0) + words.left_out
        if left_out_count:
            remarks.append(count(left_out_count, *_MORE_ARRAYS))
        if len(words.collectives) > _MOST or program_shardings.collectives_left_out:
            left_out_count = (
                len(words.collectives) - min(len(words.collectives), _MOST) + program_shardings.collectives_left_out
            )
            remarks.append(count(left_out_count, *_MORE_COLLECTIVES))
        texts.append(
            ShardingsText(
                title=f"{document.programs[program_shardings.program].name} over {count(words.devices, 'device')}",
                sentence="" if program_shardings.collectives is None else words.exchanged,
                rows=[_row(array) for array in words.arrays[:_MOST]],
                pictures=_pictures(words.arrays[:_MOST]),
                collectives=[_collective(collective) for collective in words.collectives[:_MOST]],
                remarks=remarks,
            )
        )
    return texts


def _row(array: ShardedArray) -> tuple[str, ...]:
    shard = "unknown" if array.shard is None else f"[{','.join(map(str, array.shard))}]"
    return array.title, array.type, array.spec, shard, decided(array.origin, array.line) or "unknown"


def _pictures(arrays: tuple[ShardedArray, ...]) -> list[tuple[str, str]]:
    """Return (names of the arrays, picture as text) for each different sharding."""
    titles: dict[str, list[str]] = {}
    for array in arrays:
        titles.setdefault(array.picture, []).append(array.title)
    return [(listed(names, 8), picture) for picture, names in titles.items()]


def _collective(caused: CausedCollective) -> tuple[str, ...]:
    collective = caused.collective
    lines = ", ".join(map(str, caused.lines)) or "unknown"
    equations_text = ", ".join(caused.equations) or "unknown"
    return (
        collective.kind,
        size(collective.bytes),
        caused.often,
        f"{lines} (inferred)" if caused.inferred else lines,
        equations_text,
        groups(collective),
    )
