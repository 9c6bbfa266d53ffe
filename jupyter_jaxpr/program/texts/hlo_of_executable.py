"""Prints the optimised HLO of an executable and finds the source stack of each line.

The metadata of an instruction states where it comes from: either `stack_frame_id`, an index into tables at the top of
the text (JAX 0.10 and later), or `source_file` and `source_line`. Both forms are read. The shown text keeps the
metadata, but not the tables, because each line has its stack. A stack that cannot be read is -1, never a guess.
"""

from __future__ import annotations

import re
from typing import Any

from ...document.hlo_tables import HLO_TABLES
from ...document.sentences.missing_part_sentences import NO_TEXT_OF_BACKEND
from ..source.positions import Positions
from .stablehlo_of_lowered import LinesOfText, Place

_TABLE_ROW = re.compile(r'(\d+) (?:"(.*)"|\{(.*)\})$')
_NUMBER = re.compile(r"(\w+)=(\d+)")
_FRAME = re.compile(r"metadata=\{[^{}]*?\bstack_frame_id=(\d+)")
_OP_NAME = re.compile(r'\bop_name="((?:[^"\\]|\\.)*)"')
_FILE = re.compile(r'\bsource_file="([^"]*)"')
_LINE = re.compile(r"\bsource_line=(\d+)")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
#: A chain of frames longer than this is damaged and is not followed.
_DEPTH = 200


def executable_text(executable: Any) -> str:
    """Return the optimised HLO of a compiled or loaded executable; large constants are elided."""
    if hasattr(executable, "as_text"):
        text = executable.as_text()
    else:
        text = "\n\n".join(module.to_string() for module in executable.hlo_modules())
    if not text:
        raise ValueError(NO_TEXT_OF_BACKEND)
    return str(text)


def hlo_lines(text: str, positions: Positions) -> LinesOfText:
    """Split an HLO text into the text that is shown and the stack of each line."""
    tables: dict[str, dict[int, Any]] = {name: {} for name in HLO_TABLES}
    lines: list[str] = []
    metadata: list[tuple[int, str]] = []
    table: dict[int, Any] | None = None
    for line in text.rstrip("\n").split("\n"):
        if line in tables:
            table = tables[line]
            continue
        if table is not None:
            row = _TABLE_ROW.match(line)
            if row:
                number, string, fields = row.groups()
                table[int(number)] = (
                    _unescaped(string)
                    if string is not None
                    else {key: int(value) for key, value in _NUMBER.findall(fields)}
                )
                continue
            table = None
        if not line and lines and not lines[-1]:
            continue  # skip the second of two empty lines: a table of places was between them
        if "metadata={" in line:
            metadata.append((len(lines), line))
        lines.append(line)
    stacks = [-1] * len(lines)
    names: dict[int, str] = {}
    frames = _Frames(tables)
    stack_numbers: dict[int, int] = {}
    for index, line in metadata:
        named = _OP_NAME.search(line)
        if named:
            names[index] = named.group(1)
        match = _FRAME.search(line)
        if match:
            number = int(match.group(1))
            if number not in stack_numbers:
                stack_numbers[number] = _stack(frames.places(number), positions)
            stacks[index] = stack_numbers[number]
            continue
        file, source_line = _FILE.search(line), _LINE.search(line)
        if file and source_line and int(source_line.group(1)) > 0:
            number = int(source_line.group(1))
            stacks[index] = _stack([(file.group(1), "", number, -1, number, -1)], positions)
    return LinesOfText("\n".join(lines), stacks, names)


def _unescaped(text: str) -> str:
    """Return a string as XLA meant it: XLA writes bytes above ASCII as three octal digits."""
    if "\\" not in text:
        return text

    def byte(match: re.Match[bytes]) -> bytes:
        code = match.group(1)
        return bytes([int(code, 8) & 255]) if len(code) == 3 else code

    return _ESCAPE.sub(byte, text.encode()).decode("utf-8", "replace")


def _stack(places: list[Place], positions: Positions) -> int:
    return positions.stack(places) if places else -1


class _Frames:
    """The frame tables at the top of an HLO text: each frame has a place and a parent frame."""

    def __init__(self, tables: dict[str, dict[int, Any]]) -> None:
        self._files, self._functions, self._locations, self._frames = (tables[name] for name in HLO_TABLES)
        # XLA prints the parent's id plus one, so that a frame without a parent seems to be its own parent (JAX 0.10 to
        # 0.12).
        self._offset = int(
            any(
                isinstance(frame, dict) and frame.get("parent_frame_id") == number
                for number, frame in self._frames.items()
            )
        )

    def places(self, number: int) -> list[Place]:
        """Return the places of a frame and of its callers, innermost first.

        [] if the tables do not contain the frame.
        """
        places: list[Place] = []
        while number > 0 and len(places) < _DEPTH:
            frame = self._frames.get(number)
            location = self._locations.get(frame["file_location_id"]) if frame else None
            if frame is None or location is None:
                break
            line = location.get("line", 0)
            if line > 0:
                places.append(
                    (
                        str(self._files.get(location.get("file_name_id"), "")),
                        str(self._functions.get(location.get("function_name_id"), "")),
                        line,
                        location.get("column", -1),
                        location.get("end_line", line),
                        location.get("end_column", -1),
                    )
                )
            parent = frame.get("parent_frame_id", self._offset) - self._offset
            if parent >= number:
                break  # a caller must come earlier in the table; this check prevents an endless loop
            number = parent
        return places
