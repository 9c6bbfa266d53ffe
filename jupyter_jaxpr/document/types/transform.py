"""What JAX derives from a program by a transform, as plain typed data: part of the document."""

from __future__ import annotations

from typing import Annotated, Literal

from .struct import Struct
from .struct import described as _text

TransformKind = Literal["grad", "vmap", "jvp", "linearize"]


class ScopeRoles(Struct, array_like=True):
    """The part that each equation of a scope plays in a derived program."""

    scope: Annotated[int, _text("Index into scopes.")]
    roles: Annotated[
        str,
        _text(
            "A letter for each equation of the scope, those not in this document included. f: forward. b: backward. "
            "r: a forward equation that jax.checkpoint does again in the backward part. t: it computes tangents. m: "
            "around, or in, a program that does both. -: of no part: not on the way from what is differentiated to "
            "the result."
        ),
    ]


class KeptValue(Struct, array_like=True):
    """A residual: a value that is kept, for the backward part or for the linear program."""

    scope: Annotated[int, _text("Index into scopes: where it is made.")]
    equation: Annotated[int, _text("Index of the equation there that makes it.")]
    output: Annotated[int, _text("Which of its results.")]
    type: Annotated[str, _text("Of what is kept, such as f32[3,8]; of a loop that is a value of each step.")]
    bytes: Annotated[int, _text("Its size.")]


class TransformPart(Struct):
    """One of the derived programs."""

    program: Annotated[int, _text("Index into programs.")]
    part: Annotated[
        Literal["whole", "primal", "linear"], _text("linearize gives a primal and a linear program, others one.")
    ]
    roles: Annotated[list[ScopeRoles], _text("Of each scope of the program; empty where the transform has no parts.")]
    kept: Annotated[list[KeptValue], _text("In the order of the program.")]


class Transform(Struct):
    """A transform of a program: traced by jupyter_jaxpr, never run."""

    kind: Annotated[TransformKind, _text("Which.")]
    of: Annotated[int, _text("Index into programs: what it was made of.")]
    words: Annotated[str, _text("What was done exactly, such as with respect to which arguments: a sentence.")]
    error: Annotated[str | None, _text("Why there is none and what to do, a sentence; else null.")]
    parts: Annotated[list[TransformPart], _text("The derived programs; empty where there is none.")]
