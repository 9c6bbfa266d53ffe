"""The types of cures, which tell the user how to end an error, a miss or an unrolled loop, and of their edits."""

from __future__ import annotations

from typing import Annotated, Literal

from .struct import Struct
from .struct import described as _text


class Edit(Struct):
    """A change of the user's source text."""

    frame: Annotated[int, _text("The index into `frames` of the file and the span of the text that the edit replaces.")]
    text: Annotated[str, _text("The new text in place of the span, indented to fit the place.")]


class Cure(Struct, omit_defaults=True):
    """One of several cures of an error, a miss or an unrolled loop."""

    name: Annotated[
        str, _text("The name of the function or option that the cure uses, such as jnp.where or static_argnames.")
    ]
    code: Annotated[str | None, _text("The code to write, in the user's own names; null if the code is unknown.")]
    text: Annotated[str, _text("The effect and the cost of the cure, in a sentence or two.")]
    level: Annotated[
        Literal["applies", "choice", "advice"],
        _text(
            "The certainty of the cure. applies: the edits, made together, end the error, the miss or the unrolled "
            "loop. choice: the user first replaces the names in capitals in the code. advice: the cure is a "
            "sentence, with an example if `code` is not null."
        ),
    ] = "advice"
    edits: Annotated[
        list[Edit], _text("The changes of the user's text, made together; empty if the cure is advice.")
    ] = []
