"""The types of a page of a source file: the stretches of the file that ran, with their lines."""

from __future__ import annotations

from typing import Annotated

from .struct import Struct
from .struct import described as _text


class SourceStretch(Struct):
    """Consecutive lines of a source file."""

    first_line: Annotated[int, _text("The number of the first line, from 1.")]
    text: Annotated[str, _text("The lines, separated by newlines.")]


class SourcePage(Struct):
    """The text of a source file to which frames refer; for a long file, only the functions that ran."""

    path: Annotated[str, _text("The path of the file, as in `files`.")]
    lines: Annotated[int, _text("The number of lines of the whole file; 0 if the page has no text.")]
    stretches: Annotated[
        list[SourceStretch], _text("The stretches of the file, ascending; empty if the page has no text.")
    ]
    missing: Annotated[
        str | None,
        _text(
            "The reason why the file cannot be shown, and what the user can do: a sentence; null if the page has "
            "the text."
        ),
    ]
