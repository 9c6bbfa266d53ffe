"""Finds the lines of a cell's functions that no trace reached, such as an `if` branch.

The recorder watches only the code objects of the cell, only while JAX traces a function, and Python reports each line
once. On Python 3.11 this would make every call slower, so the document has no untraced lines there.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from ...jax.facts import is_jitted
from ...plain_text import file_of
from .sys_monitoring import HAS_MONITORING, MonitoringTool, monitoring

# tool ids to try: by convention, 5 is for optimizers and 0 for debuggers; the call counter uses 4
_TOOL_IDS = (5, 0, 4, 3)


class LineRecorder:
    """Records the lines of one file that run while JAX traces functions.

    Args:
        file: the file of the cell, as code objects name it.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._tool: MonitoringTool | None = None
        self._lost = False  # True if other code took the tool id, so that the untraced lines are unknown.
        # Id -> code object, for all code objects of the file. The hash of a code object is slow, because it reads all
        # of the code.
        self._file_codes: dict[int, CodeType] = {}
        # id -> code object, for the code objects with lines that no trace has reached
        self._codes: dict[int, CodeType] = {}
        self._lines: dict[int, set[int]] = {}  # id of a code object -> its lines that no trace has reached
        self._entered: dict[int, CodeType] = {}
        self._reached: set[int] = set()
        self._watching = False
        self._looked_through: dict[int, int] = {}  # id of a module -> its number of names when it was last searched

    def start(self, code: CodeType | None, module: dict[str, Any] | None) -> None:
        """Watch the code of a function during its trace, and the other functions of the cell.

        `module` has the globals of the function, in which the other functions are found.
        """
        if not HAS_MONITORING or self._watching:
            return
        if (
            not self._codes
            and id(code) in self._file_codes
            and self._looked_through.get(id(module)) == len(module or ())
        ):
            return
        for file_code in self._in_file(code, module):
            if id(file_code) not in self._file_codes:
                self._file_codes[id(file_code)] = file_code
                # Python reports no line event for a function that is completely on its def line
                if lines := _own_lines(file_code):
                    self._codes[id(file_code)], self._lines[id(file_code)] = file_code, lines
        if not self._codes or not self._take_tool():
            return
        self._watching = True
        monitor = monitoring()
        assert self._tool is not None
        for watched in self._codes.values():
            # Python reports the lines of an earlier trace again; other code does not become slower.
            monitor.set_local_events(self._tool.number, watched, monitor.events.LINE)

    def stop(self) -> None:
        """Stop watching at the end of a trace."""
        if not self._watching or self._tool is None:
            return
        self._watching = False
        if not self._tool.is_ours:
            self._lost = True
            return
        set_events = monitoring().set_local_events
        for key, watched in list(self._codes.items()):
            set_events(self._tool.number, watched, 0)
            if key in self._entered and self._lines[key] <= self._reached:
                del self._codes[key]  # a trace has reached every line of the code object

    def close(self) -> None:
        """Free the tool id."""
        self.stop()
        if self._tool is not None:
            self._tool.give_back()
            self._tool = None

    def untraced(self) -> list[int]:
        """Return the lines of traced functions, sorted, that contain code and that no trace reached; [] if unknown."""
        if self._lost:
            return []
        lines: set[int] = set()
        for code in self._entered.values():
            lines |= _lines_inside(code)
        return sorted(lines - self._reached)

    def was_reached(self, code: CodeType, line: int) -> bool | None:
        """Return whether a trace of the cell reached a line of a code object; None if unknown."""
        if self._lost or self._tool is None or id(code) not in self._file_codes or line not in _own_lines(code):
            return None
        return line in self._reached

    def _in_file(self, code: CodeType | None, module: dict[str, Any] | None) -> Iterator[CodeType]:
        """Yield the code objects in the cell's file: of the traced function, and of other functions in its globals."""
        if code is not None and id(code) not in self._file_codes and file_of(code) == self._file:
            yield from _with_nested(code)
        if module is None or self._looked_through.get(id(module)) == len(module):
            return
        self._looked_through[id(module)] = len(module)
        for value in list(module.values()):
            beside = list(vars(value).values()) if type(value) is type else [value]
            for candidate in beside:
                inner = candidate.__wrapped__ if is_jitted(candidate) else candidate
                if type(inner) is FunctionType and file_of(inner.__code__) == self._file:
                    yield from _with_nested(inner.__code__)

    def _take_tool(self) -> bool:
        if self._tool is None and not self._lost:
            self._tool = MonitoringTool.take(_TOOL_IDS, "lines", {monitoring().events.LINE: self._on_line})
        elif self._tool is not None and not self._tool.is_ours:
            self._lost = True
        return self._tool is not None and not self._lost

    def _on_line(self, code: CodeType, line: int) -> Any:
        try:
            self._entered[id(code)] = code
            self._reached.add(line)
            return monitoring().DISABLE
        except RecursionError:
            self._lost = True
            return None


def _with_nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_nested(constant)


def _lines_inside(code: CodeType) -> set[int]:
    """Return the lines with code in the body of a function and of its inner functions, without the def line."""
    lines: set[int] = set()
    for nested in _with_nested(code):
        lines |= {line for _, _, line in nested.co_lines() if line is not None}
    lines.discard(code.co_firstlineno)
    return lines


def _own_lines(code: CodeType) -> set[int]:
    """Return the lines with code in the body of a function, without its inner functions and without the def line."""
    return {line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno}
