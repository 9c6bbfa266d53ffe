"""Stores the files, frames and stacks of tracebacks in pools.

- `Positions` keeps the pools: each file, frame and stack once, named by its index.
- `Positions.traceback` takes a JAX traceback, `Positions.stack` the frames that a text of JAX names.
- The innermost user frame is where an equation was written. Library frames inside it are folded: the outermost few are
  kept, as the names of what the user called. JAX's own machinery is left out.
"""

from __future__ import annotations

import linecache
import os
import re
import sysconfig
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any, Protocol

from ...interruptions import not_of_a_signal
from ...plain_text import file_of, function_of
from ..jaxpr.pools import Strings

#: Most user frames and library frames of a stack.
USER_FRAMES = 16
LIBRARY_FRAMES = 4

_CELL_FILE = re.compile(r"ipykernel_\d+[/\\][^/\\]+\.py$|^<ipython-input-(\d+)-")
_PACKAGES = re.compile(r"[/\\](?:site|dist)-packages[/\\]")
#: What runs cells and tests: frames outside these are nobody's program.
_RUNNERS = ("IPython/", "ipykernel/", "_pytest/", "pluggy/")
#: Packages of JAX with functions that users call; the rest of `jax/_src/` is internal.
_JAX_ROOMS = re.compile(r"jax/_src/(?:lax|numpy|nn|scipy|image|ops|random(?:\.py$|/core\.py$)|pallas)")
_JAX_MACHINERY = re.compile(r"jax/_src/numpy/(?:array_methods|ufunc_api|util)\.py$|jax/_src/pallas/core\.py$")
_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep


class CellText(Protocol):
    """A notebook cell as it ran; `snapshot.document.Cell` and the cell room's records are such."""

    @property
    def id(self) -> str | None:
        """JupyterLab's id of the cell."""

    @property
    def execution_count(self) -> int | None:
        """The number in In [n]."""

    @property
    def source(self) -> str:
        """The cell's text."""


@dataclass(frozen=True)
class SourceFile:
    """A file that frames point into; `kind` is cell, user or library."""

    path: str
    kind: str
    name: str
    cell: CellText | None = None
    execution_count: int | None = None
    machinery: bool = False
    runner: bool = False


#: Instructions of one code that are located one by one.
_TABLE_FROM = 40

#: file, function, line, column, end line, end column: indices and positions as in the document.
FrameRow = tuple[int, int, int, int, int, int]


class Positions:
    """Pools of files, frames and stacks."""

    def __init__(self, strings: Strings, cells: Mapping[str, CellText]) -> None:
        """Start empty.

        Args:
            strings: pool that function names go into.
            cells: the notebook's cells by the file name that their code carries.
        """
        self.files: list[SourceFile] = []
        self.frames: list[FrameRow] = []
        self.stacks: list[tuple[list[int], list[int]]] = []
        self._strings = strings
        self._cells = cells
        self._source_files: dict[str, SourceFile] = {}
        self._cell_lines: dict[str, list[str]] = {}
        self._line_texts: dict[tuple[str, int], str] = {}
        self._file_numbers: dict[str, int] = {}
        self._frame_numbers: dict[FrameRow, int] = {}
        self._stack_numbers: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        self._tracebacks: dict[Any, int] = {}
        # By id, as hashing a code object hashes all of its contents; the list keeps the objects, so no id is reused.
        self._codes: dict[int, SourceFile] = {}
        self._code_frames: dict[tuple[int, int], int] = {}
        self._alive: list[CodeType] = []
        self._lookups: Counter[int] = Counter()
        self._tables: dict[int, list[tuple[int | None, int | None, int | None, int | None]]] = {}

    # --- stacks ------------------------------------------------------------------------------

    def traceback(self, traceback: Any) -> int:
        """Index of the stack of a JAX traceback, or -1 where JAX has none or no frame is known."""
        if traceback is None:
            return -1
        number = self._tracebacks.get(traceback)
        if number is None:
            try:
                number = self._read(traceback)
            except not_of_a_signal(Exception):  # a traceback of another JAX: unknown, not a failure
                number = -1
            self._tracebacks[traceback] = number
        return number

    def _read(self, traceback: Any) -> int:
        codes, instructions = traceback.raw_frames()
        locate = type(traceback).code_addr2location
        user: list[int] = []
        library: list[int] = []
        for code, instruction in zip(codes, instructions, strict=True):
            source = self._codes.get(id(code))
            if source is None:
                self._alive.append(code)
                source = self._codes[id(code)] = self.source_file(file_of(code))
            if source.runner or len(user) == USER_FRAMES:
                break
            if source.machinery or (source.kind == "library" and user):
                continue
            key = (id(code), instruction)
            frame = self._code_frames.get(key)
            if frame is None:
                line, column, end_line, end_column = self._located(code, instruction, locate)
                frame = self._code_frames[key] = self.frame(
                    source, function_of(code), line, column, end_line, end_column
                )
            (library if source.kind == "library" else user).append(frame)
        return self._number(user, library)

    def _located(
        self, code: CodeType, instruction: int, locate: Callable[[CodeType, int], tuple[int, int, int, int]]
    ) -> tuple[int, int, int, int]:
        """The line, column, end line and end column of an instruction; -1 where Python does not know one.

        JAX reads a code from its begin for each instruction: many instructions of a long code are read at once.
        """
        table = self._tables.get(id(code))
        if table is None:
            self._lookups[id(code)] += 1
            if self._lookups[id(code)] < _TABLE_FROM:
                return locate(code, instruction)
            table = self._tables[id(code)] = list(code.co_positions())
        line, end_line, column, end_column = (-1 if part is None else part for part in table[instruction // 2])
        return line, column, end_line, end_column

    def called_from(self, stack: int, traceback: Any) -> int:
        """The stack of a call in place of a stack that has no user frame."""
        if stack >= 0 and self.stacks[stack][0]:
            return stack
        return self.traceback(traceback)

    def stack(self, places: list[tuple[str, str, int, int, int, int]]) -> int:
        """Index of the stack of some places, innermost first: file, function, line, column, end line and column.

        Columns are UTF-8 bytes from 0, as Python counts them; -1 where unknown.
        """
        user: list[int] = []
        library: list[int] = []
        for path, function, *span in places:
            source = self.source_file(path)
            if source.runner or len(user) == USER_FRAMES:
                break
            if source.machinery or (source.kind == "library" and user):
                continue
            line, column, end_line, end_column = span
            frame = self.frame(source, function, line, column, end_line, end_column)
            (library if source.kind == "library" else user).append(frame)
        return self._number(user, library)

    def whole_line(self, stack: int) -> int:
        """Index of the stack that only says the line where another one, with user frames, begins."""
        (first, *outer), _ = self.stacks[stack]
        file, function, line, *_ = self.frames[first]
        return self._number([self._row((file, function, line, -1, line, -1)), *outer], [])

    def without_library(self, stack: int) -> int:
        """Index of the stack of another one's user frames alone."""
        return self._number(self.stacks[stack][0], [])

    def _number(self, user: list[int], library: list[int]) -> int:
        if not user and not library:
            return -1
        # A loop's lowering repeats the frame of its call.
        user = [frame for place, frame in enumerate(user) if not place or user[place - 1] != frame]
        library = library[::-1][:LIBRARY_FRAMES]
        key = (tuple(user), tuple(library))
        number = self._stack_numbers.get(key)
        if number is None:
            number = self._stack_numbers[key] = len(self.stacks)
            self.stacks.append((user, library))
        return number

    # --- frames ------------------------------------------------------------------------------

    def line(self, path: str, line: int, function: str = "") -> int:
        """Index of a frame that is a whole line."""
        return self.frame(self.source_file(path), function, line, -1, line, -1)

    def frame(
        self,
        source: SourceFile,
        function: str,
        line: int,
        column: int,
        end_line: int,
        end_column: int,
    ) -> int:
        """Index of a frame; columns in UTF-8 bytes, kept as UTF-16 where the line's text is known, else as -1."""
        file = self._file_numbers.get(source.name)
        if file is None:
            file = self._file_numbers[source.name] = len(self.files)
            self.files.append(source)
        if end_line < line:
            end_line, end_column = line, -1
        column = self._column(source, line, column)
        end_column = self._column(source, end_line, end_column)
        if column < 0 or end_column < 0:
            column = end_column = -1
        return self._row((file, self._strings.number(function), line, column, end_line, end_column))

    def _row(self, row: FrameRow) -> int:
        number = self._frame_numbers.get(row)
        if number is None:
            number = self._frame_numbers[row] = len(self.frames)
            self.frames.append(row)
        return number

    def _column(self, source: SourceFile, line: int, column: int) -> int:
        if column < 0 or source.kind == "library":
            return -1
        text = self._line_texts.get((source.name, line))
        if text is None:
            text = self._line_texts[source.name, line] = self._line_text(source, line)
        if text.isascii():
            return column if column <= len(text) and text else -1
        encoded = text.encode("utf-8", "surrogatepass")
        if column > len(encoded):
            return -1
        before = encoded[:column].decode("utf-8", "ignore")
        return len(before.encode("utf-16-le", "surrogatepass")) // 2

    def _line_text(self, source: SourceFile, line: int) -> str:
        """A line of a file as it ran; empty where it is not known."""
        text = linecache.getline(source.name, line).rstrip("\n")
        if source.cell is None:
            return text
        lines = self._cell_lines.get(source.name)
        if lines is None:
            lines = self._cell_lines[source.name] = source.cell.source.split("\n")
        written = lines[line - 1] if 0 < line <= len(lines) else ""
        # IPython may have rewritten the line: its columns are not those of the cell.
        return "" if text and text != written else written

    # --- files -------------------------------------------------------------------------------

    def codes(self, source: SourceFile) -> list[CodeType]:
        """The code of a file that was seen in a traceback."""
        # By id: equal functions of two imports of a file are both to be looked at.
        return [code for code in self._alive if file_of(code) == source.name]

    def source_file(self, name: str) -> SourceFile:
        """The known facts about a file, by the file name of its code objects."""
        source = self._source_files.get(name)
        if source is None:
            source = self._source_files[name] = _classify(name, self._cells.get(name))
        return source


def _classify(name: str, cell: CellText | None) -> SourceFile:
    if cell is not None:
        return SourceFile(name, "cell", name, cell, cell.execution_count)
    match = _CELL_FILE.search(name)
    if match:
        count = int(match.group(1)) if match.group(1) else None
        return SourceFile(name, "cell", name, None, count)
    relative = _library_path(name)
    if relative is None:
        if name.startswith(_OWN):
            return SourceFile(name, "library", name, machinery=True)
        return SourceFile(name, "user", name)
    relative = relative.replace(os.sep, "/")
    inside_jax = relative.startswith(("jax/_src/", "jaxlib/")) and not _JAX_ROOMS.match(relative)
    machinery = inside_jax or bool(_JAX_MACHINERY.match(relative))
    return SourceFile(
        relative,
        "library",
        name,
        machinery=machinery or relative.startswith("jupyter_jaxpr/"),
        runner=relative.startswith(_RUNNERS),
    )


def _library_path(name: str) -> str | None:
    """The path inside its installation folder, or None where the file is no library's."""
    parts = _PACKAGES.split(name)
    if len(parts) > 1:
        return parts[-1]
    if name.startswith("<frozen "):
        return name
    for folder in _STANDARD:
        if name.startswith(folder):
            return name[len(folder) :]
    return None


_STANDARD = tuple(
    {os.path.join(path, "") for path in (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")) if path}
)
