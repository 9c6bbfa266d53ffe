"""How a program is spread over devices: who holds which part of each array, and what devices exchange.

Only of programs that run over more than one device.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ARRAYS, ROWS, SENTENCES
from .struct import Struct
from .struct import described as _text


class MeshAxis(Struct, array_like=True):
    """An axis of a mesh: name, size."""

    name: Annotated[str, _text("Such as data.")]
    size: Annotated[int, _text("How many devices along it.")]


class Layout(Struct):
    """A way to cut an array into parts of one size, the last of an axis may be smaller."""

    kind: Annotated[str, _text("Of JAX's object, such as NamedSharding.")]
    spec: Annotated[str, _text("As JAX prints it, such as P('x', None).")]
    mesh: Annotated[list[MeshAxis], _text("Empty where it has none.", most=SENTENCES)]
    splits: Annotated[
        list[int], _text("Into how many parts each axis is cut; empty where that cannot be told.", most=SENTENCES)
    ]
    holders: Annotated[
        list[list[int]],
        _text(
            "Of each part, the last axis fastest: the numbers of the devices that hold it, ascending. Empty where they "
            "are not known, or more than 256.",
            most=ROWS,
        ),
    ]


class SpreadArray(Struct, omit_defaults=True):
    """How one array is spread."""

    role: Annotated[
        Literal["argument", "result", "constraint", "shard_map_in", "shard_map_out"],
        _text(
            "What it is to the program. constraint: a sharding_constraint equation. shard_map_in, shard_map_out: what "
            "a shard_map takes and gives."
        ),
    ]
    name: Annotated[
        str, _text("A path such as p['w'], result[0] or in_specs[0]; empty for the only one of an equation.")
    ]
    type: Annotated[str, _text("Of the whole array, such as f32[8,16].")]
    shape: Annotated[list[int | str], _text("Of the whole array; a string for a symbolic axis.", most=SENTENCES)]
    bytes: Annotated[int | None, _text("Of the whole array; null where unknown.")]
    shard: Annotated[list[int] | None, _text("Shape of what each device holds; null where it cannot be told.")]
    layout: Annotated[int, _text("Index into layouts: how it is cut.")]
    origin: Annotated[
        Literal["given", "stated", "chosen", "unknown"],
        _text(
            "Who decided. given: it came with the array, was given to jit or is in its type. stated: by its equation. "
            "chosen: by XLA."
        ),
    ]
    scope: Annotated[int, _text("Index into scopes, of an equation's; else -1.")] = -1
    equation: Annotated[int, _text("Index in that scope; else -1.")] = -1
    decided: Annotated[str, _text("The origin in words, such as chosen by XLA; empty where it is unknown.")] = ""


class EquationPlace(Struct, array_like=True):
    """An equation."""

    scope: Annotated[int, _text("Index into scopes.")]
    equation: Annotated[int, _text("Index in that scope.")]


class Cause(Struct, omit_defaults=True):
    """Where some of the values that a collective moves come from, by the HLO's metadata."""

    bytes: Annotated[int | None, _text("Of the result, on each device; null where unknown.")]
    op_name: Annotated[str, _text("As XLA prints it, such as jit(f)/transpose(jvp())/dot_general; may be empty.")]
    file: Annotated[str, _text("Path of the user's file, as in files; empty where XLA states no place.")]
    line: Annotated[int | None, _text("The line in the file of the user, from 1; null where XLA states no place.")]
    equations: Annotated[
        list[EquationPlace],
        _text(
            "Those of that place, of the primitive and name stack that XLA names where there are any; at most 50.",
            most=ROWS,
        ),
    ]
    left_out: Annotated[int, _text("How many more equations there are.")] = 0
    inferred: Annotated[bool, _text("XLA states no place of this line: it follows from other lines.")] = False


class Collective(Struct, omit_defaults=True):
    """An instruction of the optimised HLO by which devices exchange values."""

    name: Annotated[str, _text("Of the instruction, such as all-reduce.4.")]
    kind: Annotated[str, _text("Such as all-reduce.")]
    line: Annotated[int, _text("Of the HLO, from 0: where it starts, if it is asynchronous.")]
    bytes: Annotated[int | None, _text("Payload: of its result on each device, in one run; null where unknown.")]
    sent: Annotated[
        int | None,
        _text(
            "Estimate: bytes that a device sends in one run by the ring algorithm. Of n devices in a group and b bytes "
            "of result: all-reduce 2b(n-1)/n, all-gather and all-to-all b(n-1)/n, reduce-scatter b(n-1), others b. "
            "Null where unknown."
        ),
    ]
    arrays: Annotated[int, _text("How many arrays it moves at once: XLA combines them.")]
    groups_text: Annotated[str, _text("Who takes part with whom, as XLA prints it; may be empty: all.")]
    groups: Annotated[
        list[list[int]],
        _text(
            "The same by device numbers; of a collective-permute, pairs of who gives and who takes. Empty where it is "
            "not known.",
            most=ROWS,
        ),
    ]
    runs: Annotated[int, _text("How often in one call, at most; loops with an unknown number of steps counted once.")]
    causes: Annotated[list[Cause], _text("Where its values come from, each place once.", most=ROWS)]
    per_trip: Annotated[bool, _text("It is in a loop with an unknown number of steps.")] = False
    conditional: Annotated[bool, _text("It is in a branch: it runs only where that is taken.")] = False
    often: Annotated[str, _text("How often it runs, in words, such as 10 times per call.")] = ""


class ProgramShardings(Struct, omit_defaults=True):
    """How one program is spread."""

    program: Annotated[int, _text("Index into programs.")]
    devices: Annotated[list[int], _text("Their numbers.", most=ROWS)]
    layouts: Annotated[list[Layout], _text("Pool.", most=ARRAYS)]
    arrays: Annotated[
        list[SpreadArray], _text("Arguments, results, then what equations state; at most 400.", most=ARRAYS)
    ]
    left_out: Annotated[int, _text("Arrays that are not in the list.")] = 0
    collectives: Annotated[
        list[Collective] | None,
        _text("In the order of the HLO, at most 1,000; null where its text was not read yet: a request does it."),
    ] = None
    collectives_left_out: Annotated[int, _text("Collectives that are not in the list; their bytes are counted.")] = 0
    bytes: Annotated[
        int | None, _text("Payload of all collectives in one call, on each device; null where one is unknown.")
    ] = None
    sent: Annotated[
        int | None, _text("Estimate: what a device sends in one call, see Collective; null where one is unknown.")
    ] = None
    exchanged: Annotated[
        str, _text("What the devices exchange in one call: sentences; empty where the text was not read.")
    ] = ""
