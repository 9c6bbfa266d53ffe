"""Lists the types that the user's Python names had while JAX traced a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...quantities import count
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
        role: The part in a loop of JAX: `carry`, `xs` for one step of what goes in, `ys` for what all steps put out.
        steps: Of the loop; None where that is not known before it runs.
        promoted: The dtype of an operand that JAX promoted where the code asks for no dtype, such as `bf16`.
    """

    file: str
    line: int
    column: int
    name: str
    kind: Literal["parameter", "assigned", "returned"]
    types: tuple[str, ...]
    role: Literal["carry", "xs", "ys"] | None = None
    steps: int | None = None
    promoted: str | None = None

    @property
    def marks(self) -> tuple[str, ...]:
        """What stands behind the types: `carry, 10 steps`, `promoted from bf16`."""
        marks = []
        if self.role is not None:
            marks.append(self.role if self.steps is None else f"{self.role}, {count(self.steps, 'step')}")
        if self.promoted is not None:
            marks.append(f"promoted from {self.promoted}")
        return tuple(marks)


def types_of(document: Snapshot, program: int) -> tuple[NamedType, ...]:
    """The names of a program's Python code with their types, in the order of the code."""
    scopes = _scopes_of(document, program)
    types: dict[_Key, list[str]] = {}
    marks: dict[_Key, set[_Marks]] = {}
    for value in document.named_values:
        if value.scope in scopes:
            frame = document.frames[value.frame]
            name = document.strings[value.name] or "return"
            key = document.files[frame.file].path, frame.line, frame.column, name, value.kind
            known = types.setdefault(key, [])
            known += [text for index in value.types if (text := document.strings[index]) not in known]
            promoted = document.strings[value.promoted] if value.promoted >= 0 else None
            marks.setdefault(key, set()).add((value.role, value.steps, promoted))
    return tuple(NamedType(*key, tuple(texts), *_common(marks[key])) for key, texts in sorted(types.items()))


_Key = tuple[str, int, int, str, Literal["parameter", "assigned", "returned"]]
_Marks = tuple[Literal["carry", "xs", "ys"] | None, int | None, str | None]


def _common(marks: set[_Marks]) -> _Marks:
    """What all values of a name have."""
    roles, steps, promoted = (set(values) for values in zip(*marks, strict=True))
    role = roles.pop() if len(roles) == 1 else None
    return (
        role,
        steps.pop() if role is not None and len(steps) == 1 else None,
        promoted.pop() if len(promoted) == 1 else None,
    )


def texts_of_lines(document: Snapshot, program: int, file: str) -> dict[int, str]:
    """The types of the names of each line of a file, as the panel writes them beside the code: `h: f32[16]`.

    Of several types the text has the first and the last.
    """
    texts: dict[int, list[str]] = {}
    for at in types_of(document, program):
        if at.file == file:
            ends = [at.types[0], *at.types[1:][-1:]]
            shown = (" … " if len(at.types) > 2 else ", ").join(_shortened(text) for text in ends)
            shown = " · ".join([shown, *at.marks])
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
