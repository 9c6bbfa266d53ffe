"""Lists the types that the user's Python names had while JAX traced a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..types.document import Snapshot


@dataclass(frozen=True)
class NamedType:
    """What a name had where the code gives the name a value.

    Attributes:
        file: As the code has it; of a cell, the name that IPython gives the cell.
        line: From 1.
        column: Of the name, from 0, in UTF-16 code units.
        name: The name; `return` of a returned value.
        kind: parameter, assigned or returned.
        types: Such as `f32[16]`; several where the line ran several times with values of other types, in their order.
    """

    file: str
    line: int
    column: int
    name: str
    kind: Literal["parameter", "assigned", "returned"]
    types: tuple[str, ...]


def types_of(document: Snapshot, program: int) -> tuple[NamedType, ...]:
    """The names of a program's Python code with their types, in the order of the code."""
    scopes = _scopes_of(document, program)
    types: dict[tuple[str, int, int, str, Literal["parameter", "assigned", "returned"]], list[str]] = {}
    for value in document.named_values:
        if value.scope in scopes:
            frame = document.frames[value.frame]
            name = document.strings[value.name] or "return"
            key = document.files[frame.file].path, frame.line, frame.column, name, value.kind
            known = types.setdefault(key, [])
            known += [text for index in value.types if (text := document.strings[index]) not in known]
    return tuple(NamedType(*key, tuple(texts)) for key, texts in sorted(types.items()))


def texts_of_lines(document: Snapshot, program: int, file: str) -> dict[int, str]:
    """The types of the names of each line of a file, as the panel writes them beside the code: `h: f32[16]`.

    Of several types the text has the first and the last.
    """
    texts: dict[int, list[str]] = {}
    for at in types_of(document, program):
        if at.file == file:
            ends = [at.types[0], *at.types[1:][-1:]]
            shown = (" … " if len(at.types) > 2 else ", ").join(_shortened(text) for text in ends)
            texts.setdefault(at.line, []).append(f"→ {shown}" if at.kind == "returned" else f"{at.name}: {shown}")
    return {line: "  ".join(named) for line, named in texts.items()}


#: So many characters of a type stand beside a line.
_LONGEST = 48


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _scopes_of(document: Snapshot, program: int) -> set[int]:
    """The scope of a program and all scopes inside."""
    scopes: set[int] = set()
    waiting = [document.programs[program].scope]
    while waiting:
        scope = waiting.pop()
        if scope not in scopes:
            scopes.add(scope)
            waiting += [child.scope for child in document.scopes[scope].children]
    return scopes
