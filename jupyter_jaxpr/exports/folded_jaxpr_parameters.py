"""Finds the parts of a printed jaxpr's lines that a saved page shows only after a click.

These parts are the parameters of equations, and the parameters in the middle of a long `{ lambda ; a:f32[8] …. let`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..document.telling_parameters import LONGEST_TELLING_PARAMETER, LONGEST_WHOLE_PARAMETERS, TELLING_PARAMETERS
from ..quantities import count

#: If a lambda of a jaxpr has more parameters than this, only the first and the last one are visible at first.
_MOST_PARAMETERS = 8
_LAMBDA = "{ lambda "
_LET = ". let"
_PRIMITIVE = re.compile(r"([\w-]+)\[", re.ASCII)
_COMMENT_OR_NOTHING = re.compile(r"(?: {2}# .*)?")
#: Matches the start of a parameter, unless its value is an inner jaxpr, which has lines of its own.
_PARAMETER = re.compile(r"\w+=(?!\(?$|\{ lambda)", re.ASCII)
_BRACKET = re.compile(r"[\[\](){}]")
_NEXT_PARAMETER = re.compile(r" \w+=", re.ASCII)


@dataclass(frozen=True)
class FoldedWords:
    """A part of a line that is folded at first.

    Attributes:
        begin: The position of the first character, in the UTF-16 units that JavaScript counts.
        end: The position after the last character, in the same units.
        label: The words in the place of the folded part.
        name: The words that name the part to a screen reader.
        opened: The words in front of the unfolded part.
    """

    begin: int
    end: int
    label: str
    name: str
    opened: str = "▾"

    @property
    def data(self) -> list[int | str]:
        """The fields as the page's script reads them."""
        return [self.begin, self.end, self.label, self.name, self.opened]


def folded_words(lines: Sequence[str]) -> dict[int, FoldedWords]:
    """Return the folded part of each line that has one, by the index of the line."""
    parts: dict[int, FoldedWords] = {}
    # the primitives around the line whose parameters take several lines, the innermost last
    around: list[str] = []
    for number, line in enumerate(lines):
        part = _of_lambda(line) if _LAMBDA in line and _LET in line else _of_equation(line, around)
        if part is not None:
            parts[number] = part
    return parts


def _of_lambda(line: str) -> FoldedWords | None:
    first, last = line.rfind(_LAMBDA) + len(_LAMBDA), line.rfind(_LET)
    # The first token is the `;` before the parameters; a jaxpr with constants has the constants before the `;`.
    semicolon, *parameters = line[first:last].split(" ")
    if semicolon != ";" or len(parameters) <= _MOST_PARAMETERS:
        return None
    hidden = len(parameters) - 2
    begin = first + len(f"; {parameters[0]}")
    end = last - len(f" {parameters[-1]}")
    return _part(line, begin, end, f"… {hidden} more", count(hidden, "parameter"), f"▾ {hidden}")


def _of_equation(line: str, around: list[str]) -> FoldedWords | None:
    """Return the part of an equation on one line, or of one line of a longer equation."""
    # Each pattern is matched at one position: a deep line begins with thousands of blanks, and a search through them
    # from each position would take seconds.
    first = len(line) - len(line.lstrip())
    if line.startswith("]", first):
        if around:
            around.pop()
        return None
    results = line.find(" = ", first)
    head = _PRIMITIVE.match(line, results + len(" = ")) if results >= 0 else None
    head = head or _PRIMITIVE.match(line, first)
    if head is not None and _COMMENT_OR_NOTHING.fullmatch(line, head.end()):
        around.append(head[1])
        return None
    if head is not None:
        primitive, begin, end = head[1], head.end(), _closed(line, head.end())
    elif around and _PARAMETER.match(line, first) is not None:
        primitive, begin, end = around[-1], first, len(line)
    else:
        return None
    if end - begin <= LONGEST_WHOLE_PARAMETERS:
        return None
    return _part(line, begin, end, _label(primitive, line[begin:end]), f"the parameters of {primitive}")


def _part(line: str, begin: int, end: int, label: str, name: str, opened: str = "▾") -> FoldedWords:
    return FoldedWords(_units(line[:begin]), _units(line[:end]), label, name, opened)


def _units(text: str) -> int:
    """Return the number of UTF-16 units of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _closed(line: str, begin: int) -> int:
    """Return the position of the bracket that closes the bracket just before `begin`; -1 if there is none."""
    depth = 1
    for bracket in _BRACKET.finditer(line, begin):
        depth += _depth_after(bracket[0])
        if depth == 0:
            return bracket.start()
    return -1


def _label(primitive: str, parameters: str) -> str:
    """Return the telling parameter of a primitive with its value, such as `length=100 …`; `…` without one."""
    name = TELLING_PARAMETERS.get(primitive)
    begin = re.search(rf"(?:^| )(?={name}=)", parameters) if name is not None else None
    if begin is None:
        return "…"
    # The value of a parameter ends before the next ` name=` outside of brackets.
    depth, end = 0, begin.end()
    while end < len(parameters) and not (depth == 0 and _NEXT_PARAMETER.match(parameters, end)):
        depth += _depth_after(parameters[end])
        end += 1
    label = parameters[begin.end() : end]
    if len(label) > LONGEST_TELLING_PARAMETER:
        return "…"
    return label if len(label) == len(parameters) else f"{label} …"


def _depth_after(character: str) -> int:
    return (character in "([{") - (character in ")]}")
