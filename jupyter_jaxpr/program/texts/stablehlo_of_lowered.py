"""Prints the StableHLO of a lowered module and finds the source stack of each line.

MLIR prints the origin of each operation as `loc(...)`, usually a reference into a table. The locations are converted to
stacks and removed from the shown text. A location that cannot be read gives the stack -1, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...document.limits import Listed
from ...interruptions import not_of_a_signal
from ..source.positions import Positions

#: (file, function, line, column, end line, end column)
Place = tuple[str, str, int, int, int, int]

_TABLE_ROW = re.compile(r"#loc(\d*) = loc\((.*)\)$")
_REFERENCE = re.compile(r" loc\(#loc(\d*)\)$")
_STRING = r'"(?:[^"\\]|\\.)*"'
_FILE = re.compile(rf"({_STRING}):(\d+):(\d+)(?: to (?:(\d+))?:(\d+))?$")
_NAMED = re.compile(rf"({_STRING})(?:\((.*)\))?$")
_NUMBER = re.compile(r"#loc(\d*)$")
_CALLSITE = re.compile(r"callsite\((.*) at (.*)\)$")
_FUSED = re.compile(r"fused(?:<.*>)?\[(.*)\]$")
#: Lines that only enclose or end something; their location is that of the whole function.
_NOT_OPERATIONS = ("return", "module", "func.func")
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|.)")
#: A location with more nested parts than this is damaged and is not followed.
_DEPTH = 200


@dataclass(frozen=True)
class LinesOfText:
    """A StableHLO or HLO text with the source stack of each line (-1 if it has none).

    Attributes:
        op_names: line -> name of its operation, such as jit(f)/jvp(g)/tanh.
        other_stacks: line that may come from several places -> the other stacks.
        inferred: the lines whose stack is not stated, but inferred from other lines.
        named: line whose stack belongs to several equations -> (scope, index) of the one equation that it comes from,
            if known.
    """

    text: str
    line_stacks: list[int]
    op_names: Mapping[int, str] = field(default_factory=dict)
    other_stacks: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    inferred: list[int] = field(default_factory=list)
    named: Mapping[int, tuple[int, int]] = field(default_factory=dict)


def lowered_text(lowered: Any) -> str:
    """Return the StableHLO of a `jax.stages.Lowered` with source locations; large constants are elided."""
    module = lowered.compiler_ir("stablehlo")
    return str(module.operation.get_asm(large_elements_limit=Listed.ELEMENTS_OF_CONSTANT, enable_debug_info=True))


def stablehlo_lines(text: str, positions: Positions) -> LinesOfText:
    """Split a StableHLO text with locations into the text that is shown and the stack of each line.

    If an operation has regions, its location is printed on its last line; its first line gets the same location.
    """
    locations = _Locations(text, positions)
    lines: list[str] = []
    stacks: list[int] = []
    names: dict[int, str] = {}
    open_lines: dict[int, int] = {}
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("#loc"):
            continue
        match = _REFERENCE.search(line)
        stack = -1
        name = ""
        if match:
            line = line[: match.start()]
            stack = locations.stack(f"#loc{match.group(1)}")
            name = locations.name(f"#loc{match.group(1)}")
        if " loc(" in line:
            line, last = _without_locations(line)
            if stack < 0 and last is not None:
                stack = locations.stack(last)
        stripped = line.lstrip(" ")
        indent = len(line) - len(stripped)
        if stripped.startswith("}"):
            begun = open_lines.get(indent)
            if begun is not None and stacks[begun] < 0:
                stacks[begun] = stack
                names[begun] = name
        elif stripped.startswith(_NOT_OPERATIONS):
            stack, name = -1, ""
            open_lines.pop(indent, None)
        # A line with `cond {` begins the first region of the while operation on the line above, and no operation of its
        # own.
        elif not stripped.startswith("cond {"):
            open_lines[indent] = len(lines)
        if name:  # some lines of library functions have a name, but no place and so no stack
            names[len(lines)] = name
        lines.append(line)
        stacks.append(stack)
    return LinesOfText("\n".join(lines), stacks, names)


def _without_locations(line: str) -> tuple[str, str | None]:
    """Return the line without its `loc(...)` parts, and the part that stood at the line's end (None if none did)."""
    parts: list[str] = []
    last: str | None = None
    start = 0
    while True:
        position = line.find(" loc(", start)
        if position < 0:
            break
        end = _closing(line, position + 4)
        if end < 0:
            break
        parts.append(line[start:position])
        last = line[position + 5 : end] if end == len(line) - 1 else None
        start = end + 1
    parts.append(line[start:])
    return "".join(parts), last


def _closing(line: str, opening: int) -> int:
    """Return the index of the bracket outside of strings that closes the one at `opening`; -1 if there is none."""
    depth = 0
    quoted = False
    index = opening
    while index < len(line):
        character = line[index]
        if quoted:
            if character == "\\":
                index += 1
            elif character == '"':
                quoted = False
        elif character == '"':
            quoted = True
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return index
        index += 1
    return -1


class _Locations:
    """The table of source locations of a module; each location is read at its first use."""

    def __init__(self, text: str, positions: Positions) -> None:
        self._rows: dict[str, str] = {}
        for line in text.split("\n"):
            if line.startswith("#loc"):
                match = _TABLE_ROW.match(line)
                if match:
                    self._rows[match.group(1)] = match.group(2)
        self._positions = positions
        self._stacks: dict[str, int] = {}
        # a cache, because many operations of a module have the same callers
        self._caller_places: dict[str, list[Place]] = {}
        self._is_cut = False  # True if a location was nested too deeply to be followed.

    def stack(self, location: str) -> int:
        """Return the index of the stack of a location; -1 if the location contains no place."""
        stack = self._stacks.get(location)
        if stack is None:
            try:
                places = self._places(location, "", 0)
                stack = self._positions.stack(places) if places else -1
            except not_of_a_signal(Exception):  # a location of an unknown kind has no stack
                stack = -1
            self._stacks[location] = stack
        return stack

    def name(self, location: str) -> str:
        """Return the name at the beginning of a location; '' if it has none."""
        for _ in range(_DEPTH):
            if match := _NUMBER.match(location):
                location = self._rows.get(match.group(1), "unknown")
                continue
            match = _NAMED.match(location)
            return _unquoted(match.group(1)) if match else ""
        return ""

    def _places(self, location: str, function: str, depth: int) -> list[Place]:
        """Return the places in a location, innermost first; `function` is the name in which the location is wrapped."""
        if depth > _DEPTH:
            self._is_cut = True
            return []
        if match := _NUMBER.match(location):
            return self._places(self._rows.get(match.group(1), "unknown"), function, depth + 1)
        if match := _FILE.match(location):
            line = int(match.group(2))
            column = int(match.group(3))
            end_line = int(match.group(4) or line)
            end_column = int(match.group(5)) if match.group(5) else -1
            return [(_unquoted(match.group(1)), function, line, column, end_line, end_column)]
        if match := _CALLSITE.match(location):
            inner, outer = match.group(1), match.group(2)
            return self._places(inner, "", depth + 1) + self._places_of_callers(outer, depth + 1)
        if match := _FUSED.match(location):
            first = match.group(1).split(", ")[0]
            return self._places(first, function, depth + 1)
        if match := _NAMED.match(location):
            if match.group(2) is None:
                return []
            return self._places(match.group(2), _unquoted(match.group(1)), depth + 1)
        return []

    def _places_of_callers(self, location: str, depth: int) -> list[Place]:
        """Return the places of a frame's callers, innermost first."""
        places = self._caller_places.get(location)
        if places is None:
            was_cut, self._is_cut = self._is_cut, False
            places = self._places(location, "", depth)
            if not self._is_cut:
                self._caller_places[location] = places
            self._is_cut |= was_cut
        return places


def _unquoted(text: str) -> str:
    """Return a string as MLIR meant it: MLIR writes bytes above ASCII as two hexadecimal digits."""
    raw = text[1:-1]
    if "\\" not in raw:
        return raw

    def byte(match: re.Match[bytes]) -> bytes:
        code = match.group(1)
        return bytes.fromhex(code.decode()) if len(code) == 2 else code

    return _ESCAPE.sub(byte, raw.encode()).decode("utf-8", "replace")
