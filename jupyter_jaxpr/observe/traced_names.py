"""The user's Python while JAX traces in, the traced values that its names had out.

From Python 3.12 on `sys.monitoring` shows each line that begins. What the line before stored is read then, so a value
is read under the name that holds it and nothing is guessed. Only functions of the user's are watched, only while JAX
traces. What a name had in a trace that JAX gave up is not told from the rest here: the variables of such values are in
no program. Python 3.11 has no such events, and nothing is read there.
"""

from __future__ import annotations

import dis
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType
from typing import Any, Literal, NamedTuple

from ..jax.facts import is_jitted
from ..jax.traced_values import TracedArray, TracedTree, ValueReader
from ..plain_text import file_of, function_of
from .calls.counters import HAS_MONITORING, MonitoringTool, monitoring
from .functions import is_installed
from .observation import Place

_TOOL_IDS = (3, 5, 4, 0)
#: Lines of one function that are read in one trace; the rest of the trace is not read.
_LINES = 20_000
#: Values that are kept of one name at one place.
VALUES = 200
#: Names that are kept of all traces of a kernel, the newest ones.
_NAMES = 5_000
_FUNCTIONS = 1_000

Kind = Literal["parameter", "assigned", "returned"]


class NamePlace(NamedTuple):
    """Where a name gets its value.

    Attributes:
        name: Empty of a returned value.
        place: The line, without columns: of the name, of the `return` statement, of a parameter the first line of the
            function.
    """

    kind: Kind
    name: str
    place: Place


class NamedValues:
    """The values that names had in the traces of a kernel, the newest names."""

    def __init__(self) -> None:
        self._traces: deque[Mapping[NamePlace, list[TracedArray | TracedTree]]] = deque()
        self._names = 0

    def add(self, trace: Mapping[NamePlace, list[TracedArray | TracedTree]]) -> None:
        """Keep what one trace showed."""
        if not trace:
            return
        self._traces.append(trace)
        self._names += len(trace)
        while self._names > _NAMES and len(self._traces) > 1:
            self._names -= len(self._traces.popleft())

    def all(self) -> tuple[Mapping[NamePlace, list[TracedArray | TracedTree]], ...]:
        """One mapping for each trace, in the order of the traces."""
        return tuple(self._traces)


class NameRecorder:
    """Reads the names of functions while they are traced, on one thread.

    Args:
        fail: Notes a failure of ours.
    """

    def __init__(self, fail: Callable[[BaseException], None]) -> None:
        self._fail = fail
        self._thread = threading.get_ident()
        self._tool: MonitoringTool | None = None
        self._reader: ValueReader | None = None
        self._codes: dict[int, _Watched] = {}  # by the ids of the codes, which each holds
        self._looked_through: dict[int, int] = {}  # modules by id: how many names each had
        self._frames: dict[int, _Line] = {}
        self._found: dict[NamePlace, list[TracedArray | TracedTree]] = {}
        self._watching = False
        self._is_over = False  # the tool is not to be had, or we failed

    def start(self, fun: Any, code: CodeType | None, module: dict[str, Any] | None) -> None:
        """JAX is about to trace a function.

        Args:
            fun: The function.
            code: Of the user's function inside.
            module: The globals of that function, where its helpers are.
        """
        if not HAS_MONITORING or self._watching or self._is_over:
            return
        try:
            self._reader = self._reader or ValueReader()
            for found in _users_codes(fun, code, module, self._looked_through):
                if id(found) not in self._codes and len(self._codes) < _FUNCTIONS:
                    self._codes[id(found)] = _Watched.of(found)
            if not self._codes or not self._take_tool() or self._tool is None:
                return
        except Exception as error:
            self._is_over = True
            self._fail(error)
            return
        self._watching = True
        monitor = monitoring()
        events = monitor.events.LINE | monitor.events.PY_START | monitor.events.PY_RETURN
        for watched in self._codes.values():
            watched.lines_left = _LINES
            monitor.set_local_events(self._tool.number, watched.code, events)

    def stop(self) -> Mapping[NamePlace, list[TracedArray | TracedTree]]:
        """The trace is over; gives what the names had."""
        if not self._watching or self._tool is None:
            return {}
        self._watching = False
        if self._tool.is_ours:
            for watched in self._codes.values():
                monitoring().set_local_events(self._tool.number, watched.code, 0)
        else:
            self._is_over = True
        self._frames.clear()
        found, self._found = self._found, {}
        return found

    def close(self) -> None:
        """Give the tool id back."""
        self.stop()
        if self._tool is not None:
            self._tool.give_back()
            self._tool = None
        self._codes.clear()

    def _take_tool(self) -> bool:
        if self._tool is None:
            events = monitoring().events
            callbacks: dict[int, Callable[..., Any]] = {
                events.LINE: self._on_line,
                events.PY_START: self._on_start,
                events.PY_RETURN: self._on_return,
            }
            self._tool = MonitoringTool.take(_TOOL_IDS, "names", callbacks)
        if self._tool is None or not self._tool.is_ours:
            self._is_over = True
        return not self._is_over

    # --- told by Python: nothing may be raised here ---

    def _on_start(self, code: CodeType, offset: int) -> None:
        try:
            watched = self._codes.get(id(code))
            if watched is None or threading.get_ident() != self._thread or not self._watching:
                return
            frame = sys._getframe(1)
            self._frames.pop(id(frame), None)
            local = frame.f_locals
            for key in watched.parameters:
                if key.name in local:
                    self._note(key, local[key.name])
        except RecursionError:
            self._is_over = True
        except Exception as error:
            self._failed(error)

    def _on_line(self, code: CodeType, line: int) -> None:
        try:
            watched = self._codes.get(id(code))
            if watched is None or threading.get_ident() != self._thread or not self._watching:
                return
            watched.lines_left -= 1
            if watched.lines_left < 0:
                self._give_up(code)
                return
            frame = sys._getframe(1)
            last = self._frames.get(id(frame))
            if last is not None and last.keys:
                self._read(last, frame)
            keys = watched.stores.get(line, ())
            if keys:
                local = frame.f_locals
                self._frames[id(frame)] = _Line(keys, [id(local.get(key.name, _ABSENT)) for key in keys])
            elif last is not None:
                last.keys = ()
        except RecursionError:
            self._is_over = True
        except Exception as error:
            self._failed(error)

    def _on_return(self, code: CodeType, offset: int, value: Any) -> None:
        try:
            watched = self._codes.get(id(code))
            if watched is None or threading.get_ident() != self._thread or not self._watching:
                return
            frame = sys._getframe(1)
            last = self._frames.pop(id(frame), None)
            if last is not None and last.keys:
                self._read(last, frame)
            key = watched.returned(offset)
            if key is not None:
                self._note(key, value)
        except RecursionError:
            self._is_over = True
        except Exception as error:
            self._failed(error)

    def _read(self, last: _Line, frame: FrameType) -> None:
        """Read what a line stored: names that hold another object than before the line."""
        local = frame.f_locals
        for key, before in zip(last.keys, last.before, strict=True):
            value = local.get(key.name, _ABSENT)
            if value is not _ABSENT and id(value) != before:
                self._note(key, value)

    def _note(self, key: NamePlace, value: Any) -> None:
        assert self._reader is not None
        described = self._reader.read(value)
        if described is not None:
            values = self._found.setdefault(key, [])
            if len(values) < VALUES:
                values.append(described)

    def _give_up(self, code: CodeType) -> None:
        if self._tool is not None and self._tool.is_ours:
            monitoring().set_local_events(self._tool.number, code, 0)

    def _failed(self, error: BaseException) -> None:
        self._watching, self._is_over = False, True
        self._fail(error)


class _Line:
    """A line that runs in a frame."""

    __slots__ = ("before", "keys")

    def __init__(self, keys: tuple[NamePlace, ...], before: list[int]) -> None:
        self.keys = keys
        self.before = before  # ids of the values before the line; the values are not held


class _Watched:
    """A function of the user's, with the names that each of its lines stores."""

    __slots__ = ("_returns", "code", "lines_left", "parameters", "stores")

    def __init__(
        self,
        code: CodeType,
        parameters: tuple[NamePlace, ...],
        stores: Mapping[int, tuple[NamePlace, ...]],
        returns: Mapping[int, NamePlace],
    ) -> None:
        self.code = code
        self.parameters = parameters
        self.stores = stores
        self._returns = returns
        self.lines_left = 0

    @staticmethod
    def of(code: CodeType) -> _Watched:
        file, function = file_of(code), function_of(code)
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & _VARARGS) + bool(code.co_flags & _VARKEYWORDS)
        at_def = Place(file, code.co_firstlineno, function)
        parameters = tuple(NamePlace("parameter", name, at_def) for name in code.co_varnames[:count])
        times: Counter[tuple[int, str]] = Counter()
        returns: dict[int, NamePlace] = {}
        for instruction in dis.get_instructions(code):
            line = None if instruction.positions is None else instruction.positions.lineno
            if line is None:
                continue
            times.update((line, name) for name in _stored(instruction))
            if instruction.opname == "RETURN_VALUE":
                returns[instruction.offset] = NamePlace("returned", "", Place(file, line, function))
        stores: dict[int, tuple[NamePlace, ...]] = {}
        for (line, name), stored in times.items():
            if stored == 1:  # which of two stores of one name on one line gave a value is not known
                key = NamePlace("assigned", name, Place(file, line, function))
                stores[line] = (*stores.get(line, ()), key)
        return _Watched(code, parameters, stores, returns)

    def returned(self, offset: int) -> NamePlace | None:
        """The `return` statement at an instruction."""
        return self._returns.get(offset)


def _stored(instruction: dis.Instruction) -> tuple[str, ...]:
    """The names that an instruction stores; newer Pythons join two instructions into one."""
    if instruction.opname == "STORE_FAST_STORE_FAST":
        return tuple(instruction.argval)
    if instruction.opname == "STORE_FAST_LOAD_FAST":
        return (instruction.argval[0],)
    return (instruction.argval,) if instruction.opname in _STORES else ()


_STORES = frozenset({"STORE_FAST", "STORE_DEREF", "STORE_FAST_MAYBE_NULL"})
_VARARGS, _VARKEYWORDS = 0x04, 0x08
_ABSENT = object()


def _users_codes(
    fun: Any, code: CodeType | None, module: dict[str, Any] | None, looked_through: dict[int, int]
) -> Iterator[CodeType]:
    """Code of the user's that a trace of a function may run: the function's own, its cells', that of its module."""
    waiting: list[Any] = [fun]
    if code is not None and not is_installed(file_of(code)):
        yield from _with_nested(code)
    modules = [module] if module is not None else []
    seen: set[int] = set()
    while waiting or modules:
        while modules:
            names = modules.pop()
            if looked_through.get(id(names)) != len(names):
                looked_through[id(names)] = len(names)
                for value in list(names.values()):
                    waiting += vars(value).values() if type(value) is type else [value]
        if not waiting:
            break
        value = waiting.pop()
        inner = value.__wrapped__ if is_jitted(value) else value
        inner = getattr(inner, "__func__", inner) if type(inner) in (staticmethod, classmethod) else inner
        if type(inner) is not FunctionType or id(inner) in seen or is_installed(file_of(inner.__code__)):
            continue
        seen.add(id(inner))
        yield from _with_nested(inner.__code__)
        modules.append(inner.__globals__)
        for cell in inner.__closure__ or ():
            try:
                waiting.append(cell.cell_contents)
            except ValueError:  # not assigned yet
                continue


def _with_nested(code: CodeType) -> Iterator[CodeType]:
    if sys.version_info < (3, 13) and "locals" in code.co_names:
        return  # reading its variables would write them into what locals() gave
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_nested(constant)
