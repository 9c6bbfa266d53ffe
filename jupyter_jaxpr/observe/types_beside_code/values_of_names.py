"""Records the values that the user's Python names have while JAX traces.

From Python 3.12 on, `sys.monitoring` reports the start of each line. At this moment the module reads the names that the
previous line assigned, so each value certainly belongs to its name. Only user functions are watched, and only while JAX
traces. Values of a trace that JAX abandoned are recorded, too; they match no variable of a program. Python 3.11 does
not report lines in this way, so nothing is recorded on Python 3.11.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from sys import _getframe
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, Literal, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.types_of_traced_containers import TracedArray, TracedTree, ValueReader
from ...plain_text import file_of, function_of
from ..calls.sys_monitoring import HAS_MONITORING, MonitoringTool, monitoring
from ..observation import Place
from ..user_or_library.users_code_of_trace import UsersCodes
from .long_code_objects import line_begins
from .names_assigned_by_line import LineFlow, has_jumps, lines_that_store, stores_and_returns

# tool ids of `sys.monitoring` to try: 3 has no conventional use; the recorder of untraced lines uses 5, the call
# counter 4
_TOOL_IDS = (3, 5, 4)
# The most lines of one function that are read in one trace; the lines that run after them are not read.
_LINES = 20_000
# After this many lines of one function, the values are sorted by their names.
_GATHERED = 4_000
# The most values that are kept for one name at one place in one trace: the first values and the last one.
VALUES = 200
# The most values that are kept during a run, about 2 MB; at the start of a run, the values of older runs are reduced to
# half as many.
_IN_A_RUN = 20_000
_OF_EARLIER_RUNS = 10_000
_FUNCTIONS = 2_000

Kind = Literal["parameter", "assigned", "returned"]


class NamePlace(NamedTuple):
    """The place where a name gets its value.

    Attributes:
        name: The name; empty for a returned value.
        place: The line, without columns: of the name or the `return` statement; for a parameter, the first line of the
            function.
    """

    kind: Kind
    name: str
    place: Place


class NamedValues:
    """The values of the user's names in the newest traces of a kernel."""

    def __init__(self) -> None:
        self._traces: deque[Mapping[NamePlace, list[TracedArray | TracedTree]]] = deque()
        self._values = 0

    def add(self, trace: Mapping[NamePlace, list[TracedArray | TracedTree]]) -> None:
        """Store the values that the user's names had in one trace."""
        if not trace:
            return
        self._traces.append(trace)
        self._values += _count(trace)
        self._forget(_IN_A_RUN)

    def begin_run(self) -> None:
        """Drop values of the oldest traces, to have room for the values of a run that starts."""
        self._forget(_OF_EARLIER_RUNS)

    def _forget(self, most: int) -> None:
        while self._values > most and len(self._traces) > 1:
            self._values -= _count(self._traces.popleft())

    def all(self) -> tuple[Mapping[NamePlace, list[TracedArray | TracedTree]], ...]:
        """Return {place of a name: its values} for each trace, in the order of the traces."""
        return tuple(self._traces)


def _count(trace: Mapping[NamePlace, list[TracedArray | TracedTree]]) -> int:
    return sum(map(len, trace.values()))


def _others_count_instructions(own_tool: int, code: CodeType) -> bool:
    """Return whether another tool receives instruction events of a code object.

    If this tool disables these events, Python no longer reports them to the other tool, either.
    """
    monitor = monitoring()
    instruction = monitor.events.INSTRUCTION
    return any(
        monitor.get_tool(tool) is not None
        and (monitor.get_events(tool) | monitor.get_local_events(tool, code)) & instruction
        for tool in range(6)
        if tool != own_tool
    )


class NameRecorder:
    """Reads the values of names in functions that JAX traces on one thread.

    Args:
        fail: Receives an error of this package.
        tool_ids: The tool ids of `sys.monitoring` to try.
        stops_at: Code objects: the trace is stopped when one of them begins to run.
        stop: The exception that is raised to stop the trace.
    """

    def __init__(
        self,
        fail: Callable[[BaseException], None],
        tool_ids: Sequence[int] = _TOOL_IDS,
        stops_at: Collection[CodeType] = (),
        stop: type[BaseException] = BaseException,
    ) -> None:
        self._fail = fail
        self._stops_at = {id(code): code for code in stops_at}
        self._stop = stop
        self._tool_ids = tool_ids
        self._thread = get_ident()
        self._tool: MonitoringTool | None = None
        self._read_value: Callable[[Any], TracedArray | TracedTree | None] = lambda value: None
        self._reads = False
        # `id()` of a code object -> its record, which keeps the code object alive
        self._codes: dict[int, _Watched] = {}
        self._latest: _Watched | None = None  # the record of the code object whose instruction Python reported last
        self._search = UsersCodes()
        # the offsets of instructions that begin a line, in code objects for which Python reports instructions
        self._begins: set[int] = set()
        self._frames: dict[int, _Line] = {}
        self._frame: FrameType | None = None  # The frame of the line that Python reported last; None after it returned.
        self._key = 0  # The id of this frame.
        self._watching = False
        # True if no tool id was free, or after an error of this package; then no values are recorded.
        self._is_over = False
        self._ended = False  # True if nothing more is read in this trace.
        self._error: BaseException | None = None  # The error of this package in this trace, if there was one.

    def start(self, fun: Any) -> None:
        """Begin to read the values of names in the trace of `fun`, which JAX begins next."""
        if not HAS_MONITORING or self._watching or self._is_over:
            return
        try:
            if not self._reads:
                self._read_value, self._reads = ValueReader().read, True
            for code in self._search.reached_from(fun, _getframe(1)):
                if id(code) not in self._codes and len(self._codes) < _FUNCTIONS:
                    self._codes[id(code)] = _Watched(code)
            if not (self._codes or self._stops_at) or not self._take_tool() or self._tool is None:
                return
        except not_of_a_signal(Exception) as error:
            self._is_over = True
            self._fail(error)
            return
        self._watching, self._ended = True, False
        monitor, number = monitoring(), self._tool.number
        # Python reports the start of each function that the trace may call; only then are the names of the function
        # searched.
        for watched in self._codes.values():
            watched.lines_left = _LINES
            monitor.set_local_events(number, watched.code, monitor.events.PY_START)
        for code in self._stops_at.values():
            monitor.set_local_events(number, code, monitor.events.PY_START)

    def stop(self) -> Mapping[NamePlace, list[TracedArray | TracedTree]]:
        """Stop reading, and return {place of a name: its values} for the trace."""
        if not self._watching or self._tool is None:
            return {}
        self._watching = False
        if self._error is not None:
            error, self._error = self._error, None
            self._fail(error)
        if self._tool.is_ours:
            for watched in self._codes.values():
                watched.tells_lines = False
                monitoring().set_local_events(self._tool.number, watched.code, 0)
            for code in self._stops_at.values():
                monitoring().set_local_events(self._tool.number, code, 0)
        else:
            self._is_over = True
        self._frames.clear()
        self._frame = None
        values_at: dict[NamePlace, list[TracedArray | TracedTree]] = {}
        for watched in self._codes.values():
            for place, values in watched.take():
                earlier = values_at.setdefault(place, values)
                if earlier is not values:  # two lambdas on one line have the same place: their values are joined
                    earlier += values
        return values_at

    def began(self, code: CodeType) -> bool | None:
        """Return whether the present trace has begun to run a code object; None if this is unknown."""
        watched = self._codes.get(id(code))
        if watched is None or not self._watching or self._ended or self._is_over:
            return None
        return watched.tells_lines

    def close(self) -> None:
        """Free the tool id of `sys.monitoring`."""
        self.stop()
        if self._tool is not None:
            self._tool.give_back()
            self._tool = None
        self._codes.clear()
        self._latest = None

    def _take_tool(self) -> bool:
        if self._tool is None:
            events = monitoring().events
            callbacks: dict[int, Callable[..., Any]] = {
                events.LINE: self._on_line,
                events.INSTRUCTION: self._on_instruction,
                events.PY_START: self._on_start,
                events.PY_RETURN: self._on_return,
            }
            self._tool = MonitoringTool.take(self._tool_ids, "names", callbacks)
        if self._tool is None or not self._tool.is_ours:
            self._is_over = True
        return not self._is_over

    # --- called by Python at each line of a trace ---
    #
    # An error raised in these callbacks would reach the user's code. Near Python's recursion limit any call can raise,
    # even in an `except` clause: so the outer `except` clauses below call nothing, and they also catch errors of the
    # inner clauses.

    def _on_start(self, code: CodeType, offset: int) -> None:
        stops = False
        try:
            try:
                if id(code) in self._stops_at:
                    stops = get_ident() == self._thread
                else:
                    self._begin(code, _getframe(1))
            except not_of_a_signal(Exception) as error:
                self._is_over = self._ended = True
                self._error = error
        except RecursionError:
            self._ended = True
        if stops:
            raise self._stop

    def _begin(self, code: CodeType, frame: FrameType) -> None:
        watched = self._codes.get(id(code))
        if watched is None or self._ended or get_ident() != self._thread:
            return
        if not watched.is_read:
            watched.read()
            self._begins.update(watched.begins or (), watched.observed)
        if not watched.tells_lines:
            self._tell_lines(watched)
        self._frame = None
        self._frames.pop(id(frame), None)
        local = frame.f_locals
        for name in watched.parameters:
            if name in local:
                self._note(watched, "parameter", name, code.co_firstlineno, local[name])

    def _tell_lines(self, watched: _Watched) -> None:
        if self._tool is not None and self._tool.is_ours:
            watched.tells_lines = True
            events = monitoring().events
            # If another tool disables the line event of an instruction, Python also drops the instruction event. So
            # line events are used wherever Python finds lines fast.
            is_free = not _others_count_instructions(self._tool.number, watched.code)
            watched.hears_stores = is_free and bool(watched.observed)
            local_events = events.PY_START | events.PY_RETURN
            if watched.begins is None or not is_free:
                local_events |= events.LINE
            if is_free and (watched.begins is not None or watched.observed):
                local_events |= events.INSTRUCTION
            monitoring().set_local_events(self._tool.number, watched.code, local_events)

    def _on_line(self, code: CodeType, line: int) -> None:
        try:
            try:
                watched = self._codes.get(id(code))
                if watched is not None and not self._ended and get_ident() == self._thread:
                    self._line(watched, line, _getframe(1))
            except not_of_a_signal(Exception) as error:
                self._is_over = self._ended = True
                self._error = error
        except RecursionError:
            self._ended = True

    def _on_instruction(self, code: CodeType, offset: int) -> None:
        if offset not in self._begins:  # most instructions begin no line: this method returns at once
            return
        try:
            try:
                watched = self._latest
                if watched is None or watched.code is not code:
                    watched = self._latest = self._codes.get(id(code))
                line = None if watched is None else watched.observed.get(offset)
                if watched is not None and line is None and watched.begins is not None:
                    line = watched.begins.get(offset)
                if watched is not None and line is not None and not self._ended and get_ident() == self._thread:
                    self._line(watched, line, _getframe(1))
            except not_of_a_signal(Exception) as error:
                self._is_over = self._ended = True
                self._error = error
        except RecursionError:
            self._ended = True

    def _line(self, watched: _Watched, line: int, frame: FrameType) -> None:
        """Read the names that the previous line assigned, and remember the line that begins."""
        if frame is not self._frame:
            # `id` is called only for a new frame. A call of `id` is slow if Python code listens to audit events;
            # filelock, which JAX imports, does so.
            self._frame, self._key = frame, id(frame)
        key = self._key
        last = self._frames.get(key)
        if last is not None and last[2] is not None:
            self._read(watched, last, frame)
        elif last is not None:
            local = frame.f_locals
            for name in last[1]:
                value = local.get(name, _ABSENT)
                if value is not _ABSENT and (described := self._read_value(value)) is not None:
                    watched.noted.append(("assigned", name, last[0], described))
        sure = watched.sure.get(line)
        if sure is not None:
            self._frames[key] = sure
        elif (names := watched.stores.get(line)) is None:
            if last is not None:
                del self._frames[key]
        else:
            local = frame.f_locals
            self._frames[key] = line, names, [id(local.get(name, _ABSENT)) for name in names], frame.f_lasti
        watched.lines_left -= 1
        if not watched.lines_left % _GATHERED:
            watched.gather()
            if not watched.lines_left:
                self._give_up()

    def _on_return(self, code: CodeType, offset: int, value: Any) -> None:
        try:
            try:
                watched = self._codes.get(id(code))
                if watched is None or self._ended or get_ident() != self._thread:
                    return
                frame = _getframe(1)
                self._frame = None
                last = self._frames.pop(id(frame), None)
                if last is not None:
                    self._read(watched, last, frame)
                line = watched.returns.get(offset)
                if line is not None:
                    self._note(watched, "returned", "", line, value)
            except not_of_a_signal(Exception) as error:
                self._is_over = self._ended = True
                self._error = error
        except RecursionError:
            self._ended = True

    def _read(self, watched: _Watched, last: _Line, frame: FrameType) -> None:
        """Read the names that a line assigned, when another line begins or when the function returns."""
        line, names, before, start = last
        local = frame.f_locals
        for at, name in enumerate(names):
            value = local.get(name, _ABSENT)
            if value is _ABSENT:
                continue
            if before is None:
                self._note(watched, "assigned", name, line, value)
                continue
            if id(value) == before[at]:
                # The name still has the same object: the line assigned the same object again, or the line ended before
                # the assignment.
                is_stored = watched.is_stored(name, start, frame.f_lasti)
                if is_stored is None and self._read_value(value) is not None:
                    watched.unknown.add((name, line))
                if not is_stored:
                    continue
            self._note(watched, "assigned", name, line, value)

    def _note(self, watched: _Watched, kind: Kind, name: str, line: int, value: Any) -> None:
        described = self._read_value(value)
        if described is not None:
            watched.noted.append((kind, name, line, described))

    def _give_up(self) -> None:
        """Read no more values in this trace."""
        self._ended = True
        if self._tool is not None and self._tool.is_ours:
            for watched in self._codes.values():
                monitoring().set_local_events(self._tool.number, watched.code, 0)


# (line, names that the line assigns, ids of the values that the names had before, offset of the first instruction); the
# ids are None for a line that certainly assigns its names
_Line = tuple[int, tuple[str, ...], list[int] | None, int]


class _Watched:
    """A user function, with the names that each of its lines assigns.

    Attributes:
        stores: line -> names that the line assigns.
        returns: offset of an instruction that returns -> its line.
        begins: offset of an instruction -> the line that begins there; None if line events are used.
        observed: offset of an assignment -> its line, for lines that may end at the same place with and without the
            assignment.
        hears_stores: True if Python reports the instructions of `observed` in this trace.
        sure: line -> the `_Line` that the line gets when it begins, for lines that certainly assign their names.
        unknown: (name, line), where the trace does not show whether the line assigned the name.
        tells_lines: True if Python reports the lines of the function at present.
        lines_left: The number of lines that may still be read in this trace.
        noted: (kind, name, line, value) for each value that was read after the last call of `gather`.
        values: (kind, name, line) -> the values that were read in this trace before.
    """

    __slots__ = (
        "begins",
        "code",
        "flow",
        "hears_stores",
        "is_read",
        "lines_left",
        "noted",
        "observed",
        "parameters",
        "returns",
        "stores",
        "sure",
        "tells_lines",
        "unknown",
        "values",
    )

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.is_read = False
        self.tells_lines = False
        self.parameters: tuple[str, ...] = ()
        self.stores: dict[int, tuple[str, ...]] = {}
        self.returns: dict[int, int] = {}
        self.begins: dict[int, int] | None = None
        self.observed: dict[int, int] = {}
        self.hears_stores = False
        self.sure: dict[int, _Line] = {}
        self.unknown: set[tuple[str, int]] = set()
        self.flow: LineFlow | None = None
        self.lines_left = 0
        self.noted: list[tuple[Kind, str, int, TracedArray | TracedTree]] = []
        self.values: dict[tuple[Kind, str, int], list[TracedArray | TracedTree]] = {}

    def read(self) -> None:
        """Find the names that the code object assigns.

        Called when the code object runs for the first time.
        """
        self.is_read = True
        code = self.code
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & _VARARGS) + bool(code.co_flags & _VARKEYWORDS)
        self.parameters = code.co_varnames[:count]
        self.stores, self.returns = stores_and_returns(code)
        sure, self.observed = lines_that_store(code, self.stores)
        self.sure = {line: (line, self.stores[line], None, 0) for line in sure}
        self.begins = line_begins(code, has_jumps(code))

    def is_stored(self, name: str, start: int, end: int) -> bool | None:
        """Return whether a line assigned a name between two instruction offsets; None if this is unknown."""
        if self.flow is None:
            self.flow = LineFlow(self.code)
        return self.flow.is_stored(name, start, end, self.observed if self.hears_stores else {})

    def gather(self) -> None:
        """Sort the noted values by their names.

        This is not done at each line: a step between two lines would take three times as long while JAX traces.
        """
        noted, self.noted = self.noted, []
        for kind, name, line, described in noted:
            key = kind, name, line
            values = self.values.get(key)
            if values is None:
                self.values[key] = [described]
                continue
            if len(values) == VALUES:
                values.pop()  # the list keeps the first values, and the newest value at its end
            values.append(described)

    def take(self) -> Iterator[tuple[NamePlace, list[TracedArray | TracedTree]]]:
        """Yield the places of names and the values that were read in this trace, and drop the values."""
        self.gather()
        values, self.values = self.values, {}
        unknown, self.unknown = self.unknown, set()
        if not values:
            return
        file, function = file_of(self.code), function_of(self.code)
        for (kind, name, line), described in values.items():
            if kind != "assigned" or (name, line) not in unknown:
                yield NamePlace(kind, name, Place(file, line, function)), described


_VARARGS, _VARKEYWORDS = 0x04, 0x08
_ABSENT = object()
