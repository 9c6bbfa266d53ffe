"""Finds the user's line of a bytecode instruction; each result is remembered."""

from __future__ import annotations

from bisect import bisect_right
from types import CodeType

from ...plain_text import file_of, function_of
from ..observation import Place
from ..user_or_library.whose_code import is_installed


class InstructionLines:
    """Finds the file, line and function of instructions in user code, and remembers each result."""

    def __init__(self) -> None:
        self._tables: dict[int, tuple[CodeType, list[int], list[int | None]]] = {}
        # (id of a code object, offset) -> place; `_tables` keeps the code object alive, so that its id stays unique
        self._places: dict[tuple[int, int], Place | None] = {}

    def place(self, code: CodeType, offset: int) -> Place | None:
        """Return the place of an instruction in the user's code."""
        at = (id(code), offset)
        place = self._places.get(at)
        if place is None and at not in self._places:
            place = self._places[at] = self._place(code, offset)
        return place

    def _place(self, code: CodeType, offset: int) -> Place | None:
        table = self._tables.get(id(code))
        if table is None:
            starts, lines = [], []
            for start, _, line in code.co_lines():
                starts.append(start)
                lines.append(line)
            table = self._tables[id(code)] = (code, starts, lines)
        if is_installed(file_of(code)):
            return None
        _, starts, lines = table
        line = lines[bisect_right(starts, offset) - 1] if starts else None
        return None if line is None else Place(file_of(code), line, function_of(code))
