"""The types of the programs that JAX derives from a program by a transform: plain data, a part of the document."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from .struct import Struct
from .struct import described as _text

TransformKind = Literal["grad", "vmap", "jvp", "linearize"]

#: The transforms that the panel can apply to a program, in the order of the buttons.
TRANSFORM_KINDS: tuple[TransformKind, ...] = get_args(TransformKind)


class ScopeRoles(Struct, array_like=True):
    """The role of each equation of a scope in a derived program."""

    scope: Annotated[int, _text("The index into `scopes` of the scope.")]
    roles: Annotated[
        str,
        _text(
            "A letter for each equation of the scope, including equations that are not in this document. f: "
            "forward. b: backward. r: a forward equation that jax.checkpoint computes again in the backward part. "
            "t: the equation computes tangents. m: the equation holds a program with both parts, or is in such a "
            "program. -: the equation has no part, because the equation is not on the way from the differentiated "
            "arguments to the result."
        ),
    ]


class KeptValue(Struct, array_like=True):
    """A residual: a value that is kept for the backward part or for the linear program."""

    scope: Annotated[int, _text("The index into `scopes` of the scope that makes the value.")]
    equation: Annotated[int, _text("The index in that scope of the equation that makes the value.")]
    output: Annotated[int, _text("The position of the value among the results of the equation.")]
    type: Annotated[
        str,
        _text(
            "The type of the kept value, such as f32[3,8]; for a value made in a loop, the type of the stack of one "
            "value per step."
        ),
    ]
    bytes: Annotated[int, _text("The size of the kept value in bytes.")]


class TransformPart(Struct):
    """One program that a transform derived, with the roles of its equations and its residuals."""

    program: Annotated[int, _text("The index into `programs` of the derived program.")]
    part: Annotated[
        Literal["whole", "primal", "linear"],
        _text(
            "The part of the transform: linearize gives a primal and a linear program; other transforms give one "
            "whole program."
        ),
    ]
    roles: Annotated[
        list[ScopeRoles],
        _text("The roles of the equations of each scope of the program; empty if the transform has no parts."),
    ]
    kept: Annotated[list[KeptValue], _text("The residuals, in the order of the program.")]


class Transform(Struct):
    """A transform of a program, with the derived programs, which jupyter_jaxpr traced but never ran."""

    kind: Annotated[TransformKind, _text("The name of the transform.")]
    of: Annotated[int, _text("The index into `programs` of the original program.")]
    words: Annotated[
        str, _text("The exact meaning of the transform, such as the arguments of the derivative, as a sentence.")
    ]
    error: Annotated[
        str | None,
        _text(
            "The reason why there is no derived program and what the user can do, a sentence; null if there is a "
            "derived program."
        ),
    ]
    parts: Annotated[list[TransformPart], _text("The derived programs; empty if there is no derived program.")]
