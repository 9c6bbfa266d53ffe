"""The part of the document that says what to do: a cure of an error, a miss or an unrolled loop, and its edits."""

from __future__ import annotations

from typing import Annotated, Literal

from .struct import Struct
from .struct import described as _text


class Edit(Struct):
    """A change of the user's own text."""

    frame: Annotated[int, _text("Index into frames: the file, and from where to where the text is replaced.")]
    text: Annotated[str, _text("What stands there afterwards, indented as its place needs.")]


class Cure(Struct, omit_defaults=True):
    """One of several ways out."""

    name: Annotated[str, _text("Of what it uses, such as jnp.where or static_argnames.")]
    code: Annotated[str | None, _text("What to write, in the user's own names; null where it cannot be told.")]
    text: Annotated[str, _text("What it does and what it costs: a sentence or two.")]
    level: Annotated[
        Literal["applies", "choice", "advice"],
        _text(
            "How sure the cure is. applies: the edits, made together, end the error, the miss or the unrolled loop. "
            "choice: the user replaces the names in capitals in the code first. advice: a sentence, and an example "
            "where there is code."
        ),
    ] = "advice"
    edits: Annotated[list[Edit], _text("The changes of the text, made together; empty where the cure is advice.")] = []
