"""Finds the lines of a cell's functions that no trace reached, such as an `if` branch.

Only the cell's own code objects are watched, only while a function is being traced, and each line reports once. On
Python 3.11 there is no way to watch them that does not slow every call down: nothing is said there.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from ...jax.facts import is_jitted
from ...plain_text import file_of
from .counters import HAS_MONITORING, MonitoringTool, monitoring

_TOOL_IDS = (5, 0, 4, 3)  # 5 is free for optimizers by convention, 0 is the debuggers'; call counting has 4


class LineRecorder:
    """Records which lines of one file run while functions are traced.

    Args:
        file: the cell's file, as code objects name it.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._tool: MonitoringTool | None = None
        self._lost = False  # someone took the tool away
        self._known: dict[int, CodeType] = {}  # by id: hashing a code object reads all of it
        self._codes: dict[int, CodeType] = {}  # of these, the ones with lines that no trace has reached
        self._lines: dict[int, set[int]] = {}  # of each of these
        self._entered: dict[int, CodeType] = {}
        self._reached: set[int] = set()
        self._watching = False
        self._looked_through: dict[int, int] = {}  # modules by id: how many names each had

    def start(self, code: CodeType | None, module: dict[str, Any] | None) -> None:
        """A function is about to be traced; `module` holds the globals of it, where its helpers are."""
        if not HAS_MONITORING or self._watching:
            return
        if not self._codes and id(code) in self._known and self._looked_through.get(id(module)) == len(module or ()):
            return
        for found in self._in_file(code, module):
            if id(found) not in self._known:
                self._known[id(found)] = found
                if lines := _own_lines(found):  # Python tells nothing of a function that is all on its first line
                    self._codes[id(found)], self._lines[id(found)] = found, lines
        if not self._codes or not self._take_tool():
            return
        self._watching = True
        monitor = monitoring()
        assert self._tool is not None
        for watched in self._codes.values():
            # Lines that were switched off in an earlier trace are on again by this, with no cost to other code.
            monitor.set_local_events(self._tool.number, watched, monitor.events.LINE)

    def stop(self) -> None:
        """The trace is over."""
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
                del self._codes[key]  # nothing more can be learned of it

    def close(self) -> None:
        """Give the tool id back."""
        self.stop()
        if self._tool is not None:
            self._tool.give_back()
            self._tool = None

    def untraced(self) -> list[int]:
        """Lines of the functions that were traced which hold code and were not reached, in order; none if not known."""
        if self._lost:
            return []
        lines: set[int] = set()
        for code in self._entered.values():
            lines |= _lines_inside(code)
        return sorted(lines - self._reached)

    def was_reached(self, code: CodeType, line: int) -> bool | None:
        """Whether a trace of the cell reached a line of a code; None where that is not known."""
        if self._lost or self._tool is None or id(code) not in self._known or line not in _own_lines(code):
            return None
        return line in self._reached

    def _in_file(self, code: CodeType | None, module: dict[str, Any] | None) -> Iterator[CodeType]:
        """Code of this cell: the function's own, and that of the functions beside it."""
        if code is not None and id(code) not in self._known and file_of(code) == self._file:
            yield from _with_nested(code)
        if module is None or self._looked_through.get(id(module)) == len(module):
            return
        self._looked_through[id(module)] = len(module)
        for value in list(module.values()):
            beside = list(vars(value).values()) if type(value) is type else [value]
            for each in beside:
                inner = each.__wrapped__ if is_jitted(each) else each
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
    """Lines of a function's body that hold code, those of functions inside it included; not its def line."""
    lines: set[int] = set()
    for each in _with_nested(code):
        lines |= {line for _, _, line in each.co_lines() if line is not None}
    lines.discard(code.co_firstlineno)
    return lines


def _own_lines(code: CodeType) -> set[int]:
    """Likewise, without the functions inside it."""
    return {line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno}
