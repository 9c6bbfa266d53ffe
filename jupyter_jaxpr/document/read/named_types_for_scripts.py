"""Gives scripts the types that the user's Python names had while JAX traced a program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ...quantities import count
from ..limits import Characters
from ..types.document import Snapshot


@dataclass(frozen=True)
class NamedType:
    """The types of a name at the place where the code assigns it.

    Attributes:
        file: The file name in the code; for a cell, the name that IPython gives the cell.
        line: The line, from 1.
        column: The column of the name, from 0, in UTF-16 code units.
        name: The name; `return` for a returned value.
        kind: parameter, assigned or returned.
        types: The types, such as `f32[16]`; if the line ran several times with different types, all of them in order.
        role: The role in a loop of JAX: `carry`, `xs` for one step of the input, `ys` for the stacked output.
        steps: The number of steps of the loop; None if unknown before the run.
        promoted: The dtype of an operand that JAX promoted although the code states no dtype, such as `bf16`.
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
        """The texts to show after the types, such as `carry, 10 steps` or `promoted from bf16`."""
        marks = []
        if self.role is not None:
            marks.append(self.role if self.steps is None else f"{self.role}, {count(self.steps, 'step')}")
        if self.promoted is not None:
            marks.append(f"promoted from {self.promoted}")
        return tuple(marks)


def types_of(document: Snapshot, program: int) -> tuple[NamedType, ...]:
    """Return the names in a program's Python code with their types, in the order of the code."""
    scopes = _scopes_of(document, program)
    types: dict[_Key, list[str]] = {}
    marks: dict[_Key, set[_Marks]] = {}
    for value in document.named_values:
        if value.scope in scopes:
            frame = document.frames[value.frame]
            name = document.strings[value.name] or "return"
            key = document.files[frame.file].path, frame.line, frame.column, name, value.kind
            texts_of_lines = types.setdefault(key, [])
            texts_of_lines += [text for index in value.types if (text := document.strings[index]) not in texts_of_lines]
            promoted = document.strings[value.promoted] if value.promoted >= 0 else None
            marks.setdefault(key, set()).add((value.role, value.steps, promoted))
    return tuple(NamedType(*key, tuple(texts), *_common(marks[key])) for key, texts in sorted(types.items()))


_Key = tuple[str, int, int, str, Literal["parameter", "assigned", "returned"]]
_Marks = tuple[Literal["carry", "xs", "ys"] | None, int | None, str | None]


def _common(marks: set[_Marks]) -> _Marks:
    """Return the marks that all values of a name have in common."""
    roles, steps, promoted = (set(values) for values in zip(*marks, strict=True))
    role = roles.pop() if len(roles) == 1 else None
    return (
        role,
        steps.pop() if role is not None and len(steps) == 1 else None,
        promoted.pop() if len(promoted) == 1 else None,
    )


@dataclass(frozen=True)
class LineTypes:
    """The types of the names that a source line assigns.

    Attributes:
        text: The text that the panel shows beside the code, such as `h: f32[16]`; of several types the first and the
            last.
        whole: The complete text: each name with all its types on a line of its own.
    """

    text: str
    whole: str


def types_of_lines(document: Snapshot, program: int, file: str) -> dict[int, LineTypes]:
    """Return {line: types of its names} for a source file."""
    lines: dict[int, list[NamedType]] = {}
    for at in types_of(document, program):
        if at.file == file:
            lines.setdefault(at.line, []).append(at)
    return {
        line: LineTypes("  ".join(map(_short, named)), "\n".join(_named(at, ", ".join(at.types)) for at in named))
        for line, named in lines.items()
    }


def _short(at: NamedType) -> str:
    ends = [at.types[0], *at.types[1:][-1:]]
    return _named(at, (" … " if len(at.types) > 2 else ", ").join(map(shortened, ends)))


def _named(at: NamedType, types: str) -> str:
    text = " · ".join([types, *at.marks])
    return f"→ {text}" if at.kind == "returned" else f"{at.name}: {text}"


_CLOSING = {"[": "]", "(": ")", "{": "}"}


def shortened(text: str) -> str:
    """Shorten the text of a type as the panel does: a long container becomes the number of its arrays.

    Other texts are cut.
    """
    if len(text) <= Characters.TYPE_BESIDE_LINE:
        return text
    head = re.match(r"\w*[\[({]", text)
    arrays = len(re.findall(r"\b\w+\[[^\]]*\]", text))
    if head is None or arrays == 0:
        return f"{text[: Characters.TYPE_BESIDE_LINE - 1]}…"
    container = f"{head[0]}…{_CLOSING[head[0][-1]]}"
    # the kernel already cuts the longest texts, so the number of arrays may be a lower bound
    arrays_text = count(arrays, "array")
    return f"{container} with more than {arrays_text}" if text.endswith("…") else f"{container} with {arrays_text}"


def _scopes_of(document: Snapshot, program: int) -> set[int]:
    """Return the outermost scope of a program and all scopes inside it."""
    scopes: set[int] = set()
    waiting = [document.programs[program].scope]
    while waiting:
        scope = waiting.pop()
        if scope not in scopes:
            scopes.add(scope)
            waiting += [child.scope for child in document.scopes[scope].children]
    return scopes
