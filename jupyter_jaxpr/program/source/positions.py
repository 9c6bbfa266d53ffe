"""Stores the files, frames and stacks of tracebacks in pools.

- `Positions` keeps the pools: each file, frame and stack once, named by its index.
- `Positions.traceback` adds the stack of a JAX traceback, `Positions.stack` one from frames in a text of JAX.
- The innermost user frame is where an equation was written. Of the library frames that this user frame called, only
  the outermost few are kept: they name the functions that the user called. JAX's own machinery is left out.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import sysconfig
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import is_
from types import CodeType
from typing import Any, Protocol

from ...document.limits import Listed
from ...interruptions import PACKAGE, not_of_a_signal
from ...plain_text import file_of, function_of
from ..jaxpr.pools import Strings

_CELL_FILE = re.compile(r"ipykernel_\d+[/\\][^/\\]+\.py$|^<ipython-input-(\d+)-")
_PACKAGES = re.compile(r"[/\\](?:site|dist)-packages[/\\]")
#: Packages that run cells and tests. Their frames, and all frames outside of these, are not part of the user's code.
_RUNNERS = ("IPython/", "ipykernel/", "_pytest/", "pluggy/", "marimo/", "doctest.py")
#: Packages of JAX with functions that users call; the rest of `jax/_src/` is internal.
_JAX_ROOMS = re.compile(r"jax/_src/(?:lax|numpy|nn|scipy|image|ops|random(?:\.py$|/core\.py$)|pallas)")
_JAX_MACHINERY = re.compile(r"jax/_src/numpy/(?:array_methods|ufunc_api|util)\.py$|jax/_src/pallas/core\.py$")


class CellText(Protocol):
    """A notebook cell at the time when it ran; `document.types.document.Cell` has the same attributes."""

    @property
    def id(self) -> str | None:
        """JupyterLab's id of the cell."""

    @property
    def execution_count(self) -> int | None:
        """The number in In [n]."""

    @property
    def source(self) -> str:
        """The source of the cell."""


@dataclass(frozen=True)
class SourceFile:
    """A source file to which frames refer; `kind` is cell, user or library.

    `unfiled` is the source of code that was never in a file, such as a cell of marimo. It is copied from `linecache`
    when the frames are read, because the next run of the cell replaces it there. `lines_only` is true for a marimo
    notebook that runs as an app or a script: marimo compiles its cells with the right lines, but with columns that
    ignore the indentation.
    """

    path: str
    kind: str
    name: str
    cell: CellText | None = None
    execution_count: int | None = None
    machinery: bool = False
    runner: bool = False
    unfiled: str | None = field(default=None, compare=False)
    lines_only: bool = field(default=False, compare=False)


#: The instructions of a code object are located one at a time until this number of requests, then all at once.
_ALONE = 40
#: The most sequences of code objects in the cache with which a traceback is compared.
_CHAINS = 12
#: Line, end line, column and end column of an instruction, as Python gives them.
_Position = tuple[int | None, int | None, int | None, int | None]

#: (file, function, line, column, end line, end column): indices and positions as in the document.
FrameRow = tuple[int, int, int, int, int, int]


class _CodeRecord:
    """What is known about one code object: its file, and the frames of its instructions."""

    __slots__ = (
        "_lookups",
        "_next",
        "_rest",
        "_table",
        "code",
        "frames",
        "function",
        "is_library",
        "is_machinery",
        "source",
    )

    def __init__(self, code: CodeType, source: SourceFile) -> None:
        self.code = code
        self.source = source
        self.function = function_of(code)
        self.is_library = source.kind == "library"
        self.is_machinery = source.machinery and not source.runner
        self.frames: dict[int, int] = {}
        self._lookups = 0
        self._rest = code.co_positions()
        self._next = 0
        # the positions of all instructions; None until an instruction is requested that comes before the last one
        self._table: list[_Position] | None = None

    def located(
        self, instruction: int, locate: Callable[[CodeType, int], tuple[int, int, int, int]]
    ) -> tuple[int, int, int, int]:
        """Return (line, column, end line, end column) of an instruction; -1 for an unknown value.

        JAX reads a code object from its start for each instruction. For a long code object, this method reads all
        instructions at once.
        """
        self._lookups += 1
        if self._lookups < _ALONE:
            return locate(self.code, instruction)
        line, end_line, column, end_column = self._position(instruction // 2)
        return (
            -1 if line is None else line,
            -1 if column is None else column,
            -1 if end_line is None else end_line,
            -1 if end_column is None else end_column,
        )

    def _position(self, index: int) -> _Position:
        """Return the position of an instruction.

        A trace reaches most instructions of a long code object in their order, so it reads on from the last one.
        """
        if self._table is None:
            if index >= self._next:
                skipped, self._next = index - self._next, index + 1
                return next(islice(self._rest, skipped, None))
            self._table = list(self.code.co_positions())
        return self._table[index]


class Positions:
    """Pools of files, frames and stacks."""

    def __init__(self, strings: Strings, cells: Mapping[str, CellText]) -> None:
        """Make empty pools.

        Args:
            strings: the pool to which function names are added.
            cells: `co_filename` of a cell's code -> the cell.
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
        # id of a code object -> its record. Hashing a code object would read all its contents; the record keeps the
        # code object alive, so that its id stays unique.
        self._codes: dict[int, _CodeRecord] = {}
        # A cache: the code objects of a traceback, and the frames of its stack. The newest tracebacks come first.
        self._chains: deque[tuple[Sequence[CodeType], list[tuple[_CodeRecord, int]]]] = deque(maxlen=_CHAINS)

    # --- stacks ------------------------------------------------------------------------------

    def traceback(self, traceback: Any) -> int:
        """Return the index of the stack of a JAX traceback; -1 if there is no traceback or no known frame."""
        if traceback is None:
            return -1
        number = self._tracebacks.get(traceback)
        if number is None:
            try:
                number = self._read(traceback)
            except not_of_a_signal(Exception):  # another version of JAX has other tracebacks: the stack is unknown
                number = -1
            self._tracebacks[traceback] = number
        return number

    def _read(self, traceback: Any) -> int:
        codes, instructions = traceback.raw_frames()
        user: list[int] = []
        library: list[int] = []
        for record, at in self._read_frames(codes):
            instruction = instructions[at]
            frame = record.frames.get(instruction)
            if frame is None:
                locate = type(traceback).code_addr2location
                frame = record.frames[instruction] = self.frame(
                    record.source, record.function, *record.located(instruction, locate)
                )
            (library if record.is_library else user).append(frame)
        return self._number(user, library)

    def _read_frames(self, codes: Sequence[CodeType]) -> list[tuple[_CodeRecord, int]]:
        """Return the frames of a traceback that belong to its stack, each as (code record, index in the traceback).

        Most tracebacks of a program have one of a few sequences of code objects, so the results are cached by these
        sequences. They are compared without `id`, which is slow if Python code listens to audit events, as filelock
        does, which JAX imports.
        """
        count = len(codes)
        for known_codes, frames in self._chains:
            if len(known_codes) == count and all(map(is_, known_codes, codes)):
                return frames
        frames = []
        users, is_over = 0, False
        for at, code in enumerate(codes):
            record = self._codes.get(id(code))
            if record is None:
                record = self._codes[id(code)] = _CodeRecord(code, self.source_file(file_of(code)))
            if record.is_machinery or is_over:
                continue
            is_over = record.source.runner or users == Listed.USER_FRAMES
            if is_over or (record.is_library and users):
                continue
            users += not record.is_library
            frames.append((record, at))
        self._chains.appendleft((codes, frames))
        return frames

    def called_from(self, stack: int, traceback: Any) -> int:
        """Return `stack` if it has a user frame; else the stack of `traceback`, which is that of a call."""
        if stack >= 0 and self.stacks[stack][0]:
            return stack
        return self.traceback(traceback)

    def stack(self, places: list[tuple[str, str, int, int, int, int]]) -> int:
        """Return the index of the stack with these places, innermost first.

        A place is (file, function, line, column, end line, end column). Columns are UTF-8 bytes from 0, as Python
        counts them; -1 if unknown.
        """
        user: list[int] = []
        library: list[int] = []
        for path, function, *span in places:
            source = self.source_file(path)
            if source.runner or len(user) == Listed.USER_FRAMES:
                break
            if source.machinery or (source.kind == "library" and user):
                continue
            line, column, end_line, end_column = span
            frame = self.frame(source, function, line, column, end_line, end_column)
            (library if source.kind == "library" else user).append(frame)
        return self._number(user, library)

    def whole_line(self, stack: int) -> int:
        """Return the index of a stack that has only the line, no columns, of the innermost user frame of `stack`."""
        (first, *outer), _ = self.stacks[stack]
        file, function, line, *_ = self.frames[first]
        return self._number([self._row((file, function, line, -1, line, -1)), *outer], [])

    def without_user(self, stack: int) -> int:
        """Return the index of the stack that has only the library frames of `stack`; -1 without any."""
        return self._number([], self.stacks[stack][1]) if stack >= 0 else -1

    def without_library(self, stack: int) -> int:
        """Return the index of a stack that has only the user frames of `stack`."""
        return self._number(self.stacks[stack][0], [])

    def _number(self, user: list[int], library: list[int]) -> int:
        if not user and not library:
            return -1
        if len(user) > 1:  # the lowering of a loop repeats the frame of the loop's call
            user = [frame for place, frame in enumerate(user) if not place or user[place - 1] != frame]
        if len(library) > 1:
            library = library[::-1][: Listed.LIBRARY_FRAMES]
        key = (tuple(user), tuple(library))
        number = self._stack_numbers.get(key)
        if number is None:
            number = self._stack_numbers[key] = len(self.stacks)
            self.stacks.append((user, library))
        return number

    # --- frames ------------------------------------------------------------------------------

    def line(self, path: str, line: int, function: str = "") -> int:
        """Return the index of the frame that stands for a whole line of a file."""
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
        """Return the index of a frame.

        Columns are converted from UTF-8 bytes to UTF-16 units; they are -1 if the text of the line is unknown.
        """
        file = self._file_numbers.get(source.name)
        if file is None:
            file = self._file_numbers[source.name] = len(self.files)
            self.files.append(source)
        if end_line < line:
            end_line, end_column = line, -1
        if column < 0 or end_column < 0 or source.kind == "library" or source.lines_only:
            column = end_column = -1
        else:
            text = self._text(source, line)
            if end_line != line or not text.isascii():
                column = _utf16_column(text, column)
                end_column = _utf16_column(text if end_line == line else self._text(source, end_line), end_column)
                if column < 0 or end_column < 0:
                    column = end_column = -1
            elif not text or max(column, end_column) > len(text):
                column = end_column = -1
        return self._row((file, self._strings.number(function), line, column, end_line, end_column))

    def _row(self, row: FrameRow) -> int:
        number = self._frame_numbers.get(row)
        if number is None:
            number = self._frame_numbers[row] = len(self.frames)
            self.frames.append(row)
        return number

    def _text(self, source: SourceFile, line: int) -> str:
        key = (source.name, line)
        text = self._line_texts.get(key)
        if text is None:
            text = self._line_texts[key] = self._line_text(source, line)
        return text

    def _line_text(self, source: SourceFile, line: int) -> str:
        """Return a line of a file as it was when it ran; '' if unknown."""
        text = linecache.getline(source.name, line).rstrip("\n")
        if source.cell is None:
            return text
        written = self.cell_line(source, line)
        # IPython may have rewritten the line before compiling it; its columns would not fit the cell.
        return "" if text and text != written else written

    def cell_line(self, source: SourceFile, line: int) -> str:
        """Return a line of a cell's source, from 1; '' if the file is no cell or has no such line."""
        if source.cell is None:
            return ""
        lines = self._cell_lines.get(source.name)
        if lines is None:
            lines = self._cell_lines[source.name] = source.cell.source.split("\n")
        return lines[line - 1] if 0 < line <= len(lines) else ""

    # --- files -------------------------------------------------------------------------------

    def codes(self, source: SourceFile) -> list[CodeType]:
        """Return the code objects of a file that were seen in tracebacks."""
        # Two imports of a file make equal functions; both are returned, because both must be examined.
        return [record.code for record in self._codes.values() if record.source.name == source.name]

    def source_file(self, name: str) -> SourceFile:
        """Return what is known about a file; `name` is the `co_filename` of its code objects."""
        source = self._source_files.get(name)
        if source is None:
            source = self._source_files[name] = _classify(name, self._cells.get(name))
        return source


def _utf16_column(text: str, column: int) -> int:
    """Return the UTF-16 column for a column in UTF-8 bytes; -1 if the line has no such column."""
    if text.isascii():
        return column if column <= len(text) and text else -1
    encoded = text.encode("utf-8", "surrogatepass")
    if column > len(encoded):
        return -1
    before = encoded[:column].decode("utf-8", "ignore")
    return len(before.encode("utf-16-le", "surrogatepass")) // 2


def _classify(name: str, cell: CellText | None) -> SourceFile:
    if cell is not None:
        return SourceFile(name, "cell", name, cell, cell.execution_count)
    match = _CELL_FILE.search(name)
    if match:
        count = int(match.group(1)) if match.group(1) else None
        return SourceFile(name, "cell", name, None, count)
    relative = _library_path(name)
    if relative is None:
        if name.startswith(PACKAGE):
            return SourceFile(name, "library", name, machinery=True)
        return SourceFile(name, "user", name, unfiled=_unfiled_text(name), lines_only=_is_of_marimo(name))
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


def _is_of_marimo(name: str) -> bool:
    return "marimo" in sys.modules and any("marimo.App(" in line for line in linecache.getlines(name))


def _unfiled_text(name: str) -> str | None:
    """Return the text that `linecache` has for code that was never in a file.

    None for a real file or without a text.
    """
    try:
        if os.path.exists(name):
            return None
        return "".join(linecache.getlines(name)) or None
    except not_of_a_signal(OSError, ValueError):  # the name is no valid file name: there is no text
        return None


def _library_path(name: str) -> str | None:
    """Return the path of a library's file relative to its installation folder; None for other files."""
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
