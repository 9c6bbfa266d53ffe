"""Finds out from the code of a cell which names, attributes and items the cell may change while it runs.

Most cells change nothing that their jitted functions read. Only in the other cells are such values compared at each
call.
"""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType, FunctionType
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, defined, file_of
from ..functions.function_inside_wrappers import unwrap
from ..user_or_library.whose_code import is_class_of_users, is_installed
from .paths_that_code_reads import CHANGING_METHODS, Read

_FUNCTIONS = 64
_STORES = ("STORE_NAME", "STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "DELETE_")
_ITEM_STORES = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
_CALLED_BY_PYTHON = ("__init__", "__call__", "__enter__", "__exit__")
# names of functions and attributes by which code can change any value
_CHANGE_ANYTHING = frozenset({"setattr", "delattr", "exec", "eval", "globals", "vars", "__dict__", "__setattr__"})


class ChangesOfCell:
    """The names, attributes and items that a cell, or a function of the user's that the cell names, may change.

    Args:
        file: The file name of the cell's code.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._names: set[str] | None = None
        self._changes_items = False

    def may_change(self, read: Read, is_container: bool) -> bool:
        """Return whether the cell may change the value of a path; True as long as the cell does not run yet.

        Args:
            read: The path.
            is_container: True if the value is a container or a NumPy array, which code can change in place.
        """
        if self._names is None:
            if not self.can_read:
                return True
            self._names = set()
            try:
                self._read_cell()
            # the cell has code that `dis` or the compiler cannot read: its changes stay unknown
            except not_of_a_signal(*FAILURES):
                self._names.clear()
                self._changes_items = False
        if self._changes_items and (is_container or any(step.is_item for step in read.steps)):
            return True
        on_path = {read.root, *(step.key for step in read.steps if not step.is_item)}
        return not self._names.isdisjoint(on_path | _CHANGE_ANYTHING)

    @property
    def can_read(self) -> bool:
        """True if the code of the cell was read, or can be read because the cell runs."""
        return self._names is not None or _globals_of_cell(self._file) is not None

    def _read_cell(self) -> None:
        names = _globals_of_cell(self._file) or {}
        text = "".join(linecache.getlines(self._file))
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        waiting: list[tuple[CodeType, Mapping[str, Any]]] = [(compile(text, self._file, "exec", flags), names)]
        seen: set[int] = set()
        while waiting and len(seen) < _FUNCTIONS:
            code, names = waiting.pop()
            if id(code) not in seen:
                seen.add(id(code))
                self._read_code(code)
                waiting += _named_by(code, names)

    def _read_code(self, code: CodeType) -> None:
        assert self._names is not None
        for instruction in dis.get_instructions(code):
            name, argument = instruction.opname, instruction.argval
            if name.startswith(_STORES) and type(argument) is str:
                self._names.add(argument)
            elif name in _ITEM_STORES or argument in CHANGING_METHODS and name in ("LOAD_ATTR", "LOAD_METHOD"):
                self._changes_items = True
            elif type(argument) is str and argument in _CHANGE_ANYTHING:
                self._names.add(argument)


def _globals_of_cell(file: str) -> Mapping[str, Any] | None:
    """Return the global names of the cell that runs on this thread; None if its frame is not found."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if file_of(frame.f_code) == file:
            return frame.f_globals
        frame = frame.f_back
    return None


def _named_by(code: CodeType, names: Mapping[str, Any]) -> Iterator[tuple[CodeType, Mapping[str, Any]]]:
    """Yield the codes of the functions that a code object contains, names or may call as methods."""
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield constant, names
    for name in code.co_names:
        value: Any = names.get(name)
        kind: type = value if issubclass(type(value), type) else type(value)
        if is_class_of_users(kind):
            for method in (*_CALLED_BY_PYTHON, *code.co_names):
                yield from _of_function(_function_of(defined(kind, method)))
        elif type(value) is FunctionType or issubclass(type(value), functools.partial):
            yield from _of_function(unwrap(value))


def _function_of(method: Any) -> Any:
    """Return the function of a method, of a static or class method, or of the property that the code may assign to."""
    if type(method) is property:
        return method.fset
    return method.__func__ if type(method) in (staticmethod, classmethod) else method


def _of_function(function: Any) -> Iterator[tuple[CodeType, Mapping[str, Any]]]:
    if type(function) is FunctionType and not is_installed(file_of(function.__code__)):
        yield function.__code__, function.__globals__
