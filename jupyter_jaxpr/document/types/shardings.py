"""The types of a program's shardings: the part of each array that each device holds, and the exchanges of devices.

A document has shardings only for programs that run on more than one device.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ARRAYS, ROWS, SENTENCES
from .struct import Struct
from .struct import described as _text


class MeshAxis(Struct, array_like=True):
    """An axis of a mesh: name, size."""

    name: Annotated[str, _text("The name of the axis, such as data.")]
    size: Annotated[int, _text("The number of devices along the axis.")]


class Layout(Struct):
    """A way to cut an array into parts of one size; the last part of an axis may be smaller."""

    kind: Annotated[str, _text("The class of JAX's sharding object, such as NamedSharding.")]
    spec: Annotated[str, _text("The spec as JAX prints the spec, such as P('x', None).")]
    mesh: Annotated[list[MeshAxis], _text("The axes of the mesh; empty if the sharding has no mesh.", most=SENTENCES)]
    splits: Annotated[list[int], _text("The number of parts along each axis; empty if unknown.", most=SENTENCES)]
    holders: Annotated[
        list[list[int]],
        _text(
            "For each part, the last axis fastest, the numbers of the devices that hold the part, ascending. Empty "
            "if the devices are unknown or more than 256.",
            most=ROWS,
        ),
    ]


class SpreadArray(Struct, omit_defaults=True):
    """The distribution of one array over devices."""

    role: Annotated[
        Literal["argument", "result", "constraint", "shard_map_in", "shard_map_out"],
        _text(
            "The role of the array in the program. constraint: the array of a sharding_constraint equation. "
            "shard_map_in, shard_map_out: an input or an output of a shard_map."
        ),
    ]
    name: Annotated[
        str,
        _text(
            "The path of the array, such as p['w'], result[0] or in_specs[0]; empty for the array of a "
            "sharding_constraint."
        ),
    ]
    type: Annotated[str, _text("The type of the whole array, such as f32[8,16].")]
    shape: Annotated[
        list[int | str], _text("The shape of the whole array; a symbolic axis is a string.", most=SENTENCES)
    ]
    bytes: Annotated[int | None, _text("The bytes of the whole array; null if unknown.")]
    shard: Annotated[list[int] | None, _text("The shape of the part that each device holds; null if unknown.")]
    layout: Annotated[int, _text("The index into `layouts` of the layout of the array.")]
    origin: Annotated[
        Literal["given", "stated", "chosen", "unknown"],
        _text(
            "The origin of the sharding. given: the sharding came with the array, was given to jit or is in the "
            "array's type. stated: an equation states the sharding. chosen: XLA chose the sharding."
        ),
    ]
    scope: Annotated[
        int,
        _text("The index into `scopes` of the scope of the equation, if the array belongs to an equation; else -1."),
    ] = -1
    equation: Annotated[int, _text("The index of the equation in that scope; else -1.")] = -1
    decided: Annotated[
        str,
        _text("The origin of the sharding in words, such as sharding chosen by XLA; empty if the origin is unknown."),
    ] = ""


class EquationPlace(Struct, array_like=True):
    """The place of an equation in a document: its scope and its index in the scope."""

    scope: Annotated[int, _text("The index into `scopes` of the scope of the equation.")]
    equation: Annotated[int, _text("The index of the equation in that scope.")]


class Cause(Struct, omit_defaults=True):
    """The origin of some of the values that a collective moves, by the metadata of the HLO."""

    bytes: Annotated[int | None, _text("The bytes of these values in the result, on each device; null if unknown.")]
    op_name: Annotated[
        str,
        _text("The operation name as XLA prints the name, such as jit(f)/transpose(jvp())/dot_general; may be empty."),
    ]
    file: Annotated[str, _text("The path of the user's file, as in `files`; empty if XLA states no place.")]
    line: Annotated[int | None, _text("The line in the user's file, from 1; null if XLA states no place.")]
    equations: Annotated[
        list[EquationPlace],
        _text(
            "The equations of that place, at most 50; only the equations with the primitive and name stack that XLA "
            "names, if there are such equations.",
            most=ROWS,
        ),
    ]
    left_out: Annotated[int, _text("The number of further equations that are not in the list.")] = 0
    inferred: Annotated[
        bool, _text("True if XLA states no place for this line of the HLO, so that the place follows from other lines.")
    ] = False


class Collective(Struct, omit_defaults=True):
    """An instruction of the optimised HLO by which devices exchange values."""

    name: Annotated[str, _text("The name of the instruction, such as all-reduce.4.")]
    kind: Annotated[str, _text("The kind of the collective, such as all-reduce.")]
    line: Annotated[
        int,
        _text(
            "The line of the HLO with the instruction, from 0; for an asynchronous collective, the line of the start."
        ),
    ]
    bytes: Annotated[
        int | None, _text("The payload: the bytes of the result on each device, in one run; null if unknown.")
    ]
    sent: Annotated[
        int | None,
        _text(
            "The estimated bytes that a device sends in one run by the ring algorithm. For n devices in a group and "
            "b bytes of result: all-reduce 2b(n-1)/n, all-gather and all-to-all b(n-1)/n, reduce-scatter b(n-1), "
            "other kinds b. Null if unknown."
        ),
    ]
    arrays: Annotated[int, _text("The number of arrays that the collective moves at once; XLA combines arrays.")]
    groups_text: Annotated[
        str,
        _text("The groups of devices that exchange values, as XLA prints the groups; an empty text means all devices."),
    ]
    groups: Annotated[
        list[list[int]],
        _text(
            "The same groups as device numbers; for a collective-permute, pairs of sender and receiver. Empty if "
            "the groups are unknown.",
            most=ROWS,
        ),
    ]
    runs: Annotated[
        int,
        _text(
            "The largest number of runs of the collective in one call; loops with an unknown number of steps count "
            "once."
        ),
    ]
    causes: Annotated[
        list[Cause], _text("The origins of the values that the collective moves, each place once.", most=ROWS)
    ]
    per_trip: Annotated[bool, _text("True if the collective is in a loop with an unknown number of steps.")] = False
    conditional: Annotated[
        bool, _text("True if the collective is in a branch and runs only if the program takes the branch.")
    ] = False
    often: Annotated[str, _text("The number of runs of the collective in words, such as 10 times per call.")] = ""


class ProgramShardings(Struct, omit_defaults=True):
    """The distribution of one program over devices."""

    program: Annotated[int, _text("The index into `programs` of the program.")]
    devices: Annotated[list[int], _text("The numbers of the devices of the program.", most=ROWS)]
    layouts: Annotated[list[Layout], _text("The pool of layouts.", most=ARRAYS)]
    arrays: Annotated[
        list[SpreadArray],
        _text(
            "The arguments, the results, then the arrays of equations that state shardings; at most 400 arrays.",
            most=ARRAYS,
        ),
    ]
    left_out: Annotated[int, _text("The number of arrays that are not in the list.")] = 0
    collectives: Annotated[
        list[Collective] | None,
        _text(
            "The collectives in the order of the HLO, at most 1,000; null if the kernel has not read the text of "
            "the HLO yet, for which there is a request."
        ),
    ] = None
    collectives_left_out: Annotated[
        int, _text("The number of collectives that are not in the list; the totals of bytes include these collectives.")
    ] = 0
    bytes: Annotated[
        int | None,
        _text(
            "The payload of all collectives in one call, on each device; null if the payload of a collective is "
            "unknown."
        ),
    ] = None
    sent: Annotated[
        int | None,
        _text(
            "The estimated bytes that a device sends in one call, see Collective; null if a collective's number is "
            "unknown."
        ),
    ] = None
    exchanged: Annotated[
        str,
        _text("The exchange between the devices in one call, as sentences; empty if the text of the HLO was not read."),
    ] = ""
