"""Counts the calls of each jitted function, and the lines that made them.

A call that hits JAX's C++ cache runs no Python, so only the place that makes the call can be watched. From Python
3.12 on `sys.monitoring` reports every call that Python code makes; sites that call something else are switched off
one by one, a package's at once and the user's after some calls, so that only jitted calls keep costing something
(0.4 us). Not seen are calls that C code makes, such as `map(f, xs)`: the function that was handed to it is named, and
its counts are lower bounds.

On Python 3.11 a hook of JAX counts the hits (`jax.post_hook.Hits`), and each miss adds a call. The hook does not see
calls that raise before JAX looks for an entry, so on 3.11 all counts are lower bounds.
"""

from __future__ import annotations

import gc
import sys
import threading
import types
from collections import defaultdict
from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ...jax.eager_control_flow import code_of_evaluation, is_operation
from ...jax.facts import imported, jit_disabled, jit_type, staging
from ...jax.post_hook import Hits
from ...plain_text import file_of
from ..observation import Place
from ..user_places import user_place
from ..whose_code import is_installed
from .function_references import Held, Reference
from .instruction_lines import InstructionLines
from .passed_functions import CARRIERS, DO_NOT_CALL, carried_by, is_c_code, is_of_container
from .sys_monitoring import HAS_MONITORING, MonitoringTool, monitoring


class CallsAt(NamedTuple):
    """The number of calls of a jitted function from one place."""

    called: Any  # the called function; None if the function no longer exists
    times: int
    place: Place | None  # the user's line; None if the line is unknown
    record: Any = None  # the result of `record_of` for a function that no longer exists


LOST = "The numbers of calls are lower bounds: another tool took the place of the counter in sys.monitoring."
OVERRULED = "The numbers of calls are lower bounds: JAX's check for NaN (jax_debug_nans) took the place of the counter."
OVERFLOWED = "The numbers of calls are lower bounds: some calls at Python's recursion limit are not seen."
_OTHER_CALLS = 50  # the counter leaves a line of the user's after this many calls of functions that are not jitted
_CALLED_ELSEWHERE = 100  # the most functions of other threads that are kept between two drains
_TOOL_IDS = (4, 3, 1)  # these ids have no conventional use, except 1: coverage
_watching: CallCounter | None = None  # the counter of the running cell

# A site and its count: [code, reference to the called function, number of calls, offset, place if known]. The reference
# is weak, so that the function ends with the user's last reference.
_Site = list[Any]


class CallCounter:
    """Counts the calls of jitted functions that one thread makes between `start` and `stop`.

    Args:
        library: ids of library functions; the places of their calls are not looked up.

    Attributes:
        overflowed: the user's stack reached Python's recursion limit, where the counter cannot see; assigned
            directly, because a call would raise.
        without_jit: a jitted function was called while `jax.disable_jit` was on.
        drains: drains this counter; runs before Python's full garbage collections, because undrained calls keep
            JAX's objects of derived programs alive.
        record_of: returns the record of a jitted function, for calls of a function that is gone at the drain.
        first_called: receives a jitted function before its first call from a place since the last `drain`, or when
            the function is passed to C code.
        other_called: receives the user's calls of other objects: the code, the offset of the instruction, the called
            object and the first argument; only the first calls of each instruction.
    """

    def __init__(self, library: Mapping[int, int] | None = None) -> None:
        self._library: Mapping[int, int] = {} if library is None else library
        self.drains: Callable[[], object] | None = None
        self.record_of: Callable[[Any], Any] = lambda called: None
        self.other_called: Callable[[CodeType, int, Any, Any], None] | None = None
        self.first_called: Callable[[Any], None] | None = None
        self._records: dict[Any, Any] = {}  # the records of the functions called since the last drain, by reference
        self._references: dict[int, Reference] = {}  # the references since the last drain, by the id of the function
        self._draining = False
        self._sites: dict[Any, _Site] = {}  # the sites in the order of their first calls
        self._newest: dict[int, _Site] = {}  # the last site of each offset: the first candidate for the next call
        self._package_call: tuple[CodeType, int] | None = None  # the last call from a package since the last `drain`
        self._raised: defaultdict[tuple[Any, Place | None], int] = defaultdict(int)
        self._handed: dict[Any, Place | None] = {}
        self._elsewhere: dict[int, Reference] = {}  # the functions that other threads called, by the id of the function
        self._lines = InstructionLines()
        self._tool: MonitoringTool | None = None
        self._hits: Hits | None = None
        self._lost: str | None = None
        self.overflowed = False
        self.without_jit = False
        self._thread = 0
        self._evaluation: CodeType | None = None  # the code in which JAX runs an operation outside of jit
        self.running = self._ending = False

    def start(self) -> None:
        """Start counting on this thread; do nothing during another counted cell or before JAX is imported."""
        global _watching
        if self.running or _watching is not None or not imported():
            return
        _watching = self
        self.running = True
        self._thread = threading.get_ident()
        self._evaluation = code_of_evaluation()
        gc.callbacks.append(self._before_collection)
        if HAS_MONITORING:
            self._start_monitoring()
        else:
            self._hits = Hits(self._hit)
            self._hits.start()

    def stop(self) -> None:
        """Stop counting and restore `sys.monitoring`; a second call ends a stop that an interrupt broke off."""
        global _watching
        if not self.running:
            return
        if not self._ending:
            self._ending, self._lost = True, self.lost
        self.drains = None
        self.record_of = lambda called: None
        self.other_called = self.first_called = None
        if self._before_collection in gc.callbacks:
            gc.callbacks.remove(self._before_collection)
        if self._hits is not None:
            self._hits.stop()
        if self._tool is not None:
            self._tool.give_back()
        self._tool = self._hits = None
        _watching = None
        self.running = self._ending = False

    @property
    def noted_more(self) -> bool:
        """True if raised calls, functions passed to C code, or calls of other threads wait to be drained."""
        return bool(self._raised or self._handed or self._elsewhere)

    @property
    def sees(self) -> bool:
        """True if calls can be counted now; false if debuggers and profilers hold every tool id."""
        return self.running and (self._hits is not None or self._tool is not None)

    @property
    def lost(self) -> str | None:
        """A sentence on why the counter may have missed calls; None where it saw every call of Python code."""
        taken_away = self._tool is not None and not self._tool.is_ours
        overruled = self._hits is not None and not self._hits.all_told
        overflowed = self.overflowed or (self._hits is not None and self._hits.overflowed)
        if self._ending:
            return self._lost
        return self._lost or (LOST if taken_away else OVERRULED if overruled else OVERFLOWED if overflowed else None)

    def drained(self) -> None:
        """Drop the records after the calls were credited."""
        self._records.clear()
        self._references.clear()

    def drain(self) -> list[CallsAt]:
        """Return the functions called since the last drain with counts and places, in the order of the first calls.

        The observer drains at each miss: a function object must be released before a new object of the same line is
        made.
        """
        if not self._sites or self._draining:
            return []
        if len(self._sites) == 1:  # most often the only call is the call that misses now
            _, site = self._sites.popitem()
            self._newest.clear()
            self._package_call = None
            return [self._calls_at(site)]
        self._draining = True  # a garbage collection would drain again
        self._package_call = None
        try:
            sites = list(self._sites.values())
            self._newest.clear()
            self._sites.clear()
            return list(map(self._calls_at, sites))
        finally:
            self._draining = False

    def has_counted(self, caller: FrameType | None) -> bool:
        """Return whether the call that `caller` makes now is among the calls since the last `drain`.

        A site of a package that has called something else is switched off: a later call there is not seen.
        """
        if caller is None:
            return False
        code, offset = caller.f_code, caller.f_lasti
        if self._package_call is not None and self._package_call[0] is code and self._package_call[1] == offset:
            return True
        newest = self._newest.get(offset)
        if newest is not None and newest[0] is code:
            return True
        return any(site[0] is code and site[3] == offset for site in self._sites.values())

    def _calls_at(self, site: _Site) -> CallsAt:
        code, refer, times, offset, place = site
        if code is not None:
            place = self._lines.place(code, offset)
        record, called = self._records.get(refer), refer()
        return CallsAt(called, times, place) if called is not None else CallsAt(None, times, place, record)

    def _refer(self, called: Any) -> Any:
        """Return a callable that returns a jitted function for as long as the user holds the function."""
        if getattr(called, "_fun", None) is None:  # a derived program, which JAX drops at once
            return Held(called)
        refer = self._references.get(id(called))
        if refer is None or refer() is not called:
            refer = self._references[id(called)] = Reference(called)
        if refer not in self._records:
            self._records[refer] = self.record_of(called)
        return refer

    def _before_collection(self, phase: str, info: Mapping[str, int]) -> None:
        try:
            if phase == "start" and info.get("generation") == 2 and self._sites:
                if self.drains is not None and threading.get_ident() == self._thread:
                    self.drains()
        except RecursionError:  # Python would print an error of this callback
            self.overflowed = True

    def forget(self, fun: Any) -> None:
        """Drop the last call if it is a call of `fun`, a function of JAX's own.

        An eager `shard_map` makes several such functions for one call. A reference here would keep them alive, and JAX,
        which finds them by value, would compile less often than without the observer.
        """
        if not self._sites:
            return
        key = next(reversed(self._sites))
        if getattr(key[0](), "_fun", None) is fun:
            code, _, _, offset, _ = site = self._sites.pop(key)
            if code is not None and self._newest.get(offset) is site:
                del self._newest[offset]

    def drain_raised(self) -> list[CallsAt]:
        """Return the number of raised calls of each function since the last drain.

        A static argument without a hash raises before JAX looks for an entry. Python 3.11 does not report such calls.
        """
        if not self._raised:
            return []
        records = self._records
        raised = [CallsAt(refer(), times, place, records.get(refer)) for (refer, place), times in self._raised.items()]
        self._raised.clear()
        return raised

    def drain_handed(self) -> list[CallsAt]:
        """Return the functions that were passed to C code, which may call them unseen, with the places.

        Python 3.11 does not report them.
        """
        if not self._handed:
            return []
        handed = [CallsAt(refer(), 0, place, self._records.get(refer)) for refer, place in self._handed.items()]
        self._handed.clear()
        return handed

    def drain_elsewhere(self) -> list[Any]:
        """Return the jitted functions that other threads called; Python 3.11 does not report them."""
        called = [refer() for refer in list(self._elsewhere.values())]
        self._elsewhere.clear()
        return [function for function in called if function is not None]

    def watch_again(self) -> None:
        """Switch all sites on again, because a site may now call a jitted function."""
        if self._tool is not None and self._tool.is_ours:
            monitoring().restart_events()

    def _hit(self, called: Any, frame: FrameType) -> None:
        """Count a hit that JAX reports on Python 3.11."""
        try:
            code, offset = frame.f_code, frame.f_lasti
            if code is self._evaluation and is_operation(called):
                return
            site = self._newest.get(offset)
            if site is not None and site[0] is code and site[1]() is called:
                site[2] += 1
            else:
                self._count_first(code, offset, called, frame)
        except RecursionError:
            self.overflowed = True

    def _count_first(self, code: CodeType, offset: int, called: Any, frame: FrameType | None = None) -> None:
        """Count a call from a site that is not the last site of its offset."""
        if jit_disabled():
            self.without_jit = True  # a call under disable_jit runs no compiled program of the function
            return
        is_of_package = is_installed(file_of(code))
        if is_of_package and id(getattr(called, "_fun", None)) in self._library:
            return  # a package calls JAX's own function
        if self.first_called is not None:
            self.first_called(called)
        if is_of_package:
            # The site belongs to a package: the user's line is further out, and may differ at the next call.
            self._package_call = code, offset
            place = user_place(frame or sys._getframe(2))
            refer = self._refer(called)
            key: Any = (refer, place)
            site = self._sites.setdefault(key, [None, refer, 0, 0, place])
        else:
            refer = self._refer(called)
            key = (refer, id(code), offset)
            site = self._sites.setdefault(key, [code, refer, 0, offset, None])
            self._newest[offset] = site
        site[2] += 1

    def _start_monitoring(self) -> None:
        monitor = monitoring()
        other_calls: defaultdict[tuple[int, int], int] = defaultdict(int)
        the_jit_type = jit_type()

        def other_call(code: Any, offset: int, called: Any, first: Any) -> bool:
            """Return whether to switch off a site that has just called another object."""
            if type(first) is the_jit_type or type(first) in CARRIERS:
                self._note_handed(called, first)
            if is_installed(file_of(code)):
                return True
            if self.other_called is not None and threading.get_ident() == self._thread:
                self.other_called(code, offset, called, first)
            if type(first) is the_jit_type and type(called) is types.FunctionType:
                # A package function such as jax.tree.map(f, xs) calls f at a site that another call has switched off.
                monitor.restart_events()
                return False
            other_calls[id(code), offset] += 1
            return other_calls[id(code), offset] > _OTHER_CALLS

        # The callback reads only local variables, because it runs at every jitted call, and once at each of the
        # thousands of sites in JAX that a trace passes: those return first. The callback makes few calls, because its
        # own calls are monitored, too.
        def on_call(
            code: Any,
            offset: int,
            called: Any,
            first: Any,
            jit_type: type = the_jit_type,
            newest: dict[int, _Site] = self._newest,
            count_first: Any = self._count_first,
            evaluation: CodeType | None = self._evaluation,
            thread: int = self._thread,
            get_thread: Any = threading.get_ident,
            elsewhere: dict[int, Reference] = self._elsewhere,
            bare: frozenset[type] = _BARE,
            handed: frozenset[type] = CARRIERS | {the_jit_type},
            installed: Any = is_installed,
            carried: Any = carried_by,
            other_call: Any = other_call,
            disable: Any = monitor.DISABLE,
        ) -> Any:
            try:
                if type(called) is not jit_type:
                    if type(called) in bare and type(first) not in handed and installed(file_of(code)):
                        return disable
                    inner = carried(called)
                    if type(inner) is not jit_type:
                        return disable if other_call(code, offset, called, first) else None
                    called = inner
                elif code is evaluation and is_operation(called):
                    return None  # such a call is in no count, and a cell may make thousands
                if get_thread() == thread:
                    try:
                        site = newest[offset]
                        if site[0] is code and site[1]() is called:
                            site[2] += 1
                            return None
                    except KeyError:
                        pass
                    count_first(code, offset, called)
                elif id(called) not in elsewhere and len(elsewhere) < _CALLED_ELSEWHERE:
                    elsewhere[id(called)] = Reference(called)
            except RecursionError:  # the user's stack is full, and the call itself will raise
                self.overflowed = True
            return None

        def on_raise(code: Any, offset: int, called: Any, first: Any) -> None:
            try:
                if type(called) is not the_jit_type:
                    called = carried_by(called)
                is_ours = type(called) is the_jit_type and threading.get_ident() == self._thread
                if is_ours and not staging():  # inside a trace the call counts as inlined
                    self._raised[self._refer(called), user_place(sys._getframe(1))] += 1
            except RecursionError:
                self.overflowed = True

        events = monitor.events
        self._tool = MonitoringTool.take(_TOOL_IDS, "calls", {events.CALL: on_call, events.C_RAISE: on_raise})
        if self._tool is not None:
            # Python accepts the three events only together.
            monitor.set_events(self._tool.number, events.CALL | events.C_RAISE | events.C_RETURN)
            monitor.restart_events()

    def _note_handed(self, called: Any, first: Any) -> None:
        """Record a function that is passed to C code, such as `map`, which may call the function unseen."""
        if threading.get_ident() != self._thread or not is_c_code(called):
            return
        if id(called) in DO_NOT_CALL or is_of_container(called):
            return
        handed = carried_by(first) if type(first) is not jit_type() else first
        if type(handed) is jit_type():
            self._handed.setdefault(self._refer(handed), user_place(sys._getframe(3)))
            if self.first_called is not None:
                self.first_called(handed)


# Objects of these types run only their own code at a call.
_BARE: frozenset[type] = frozenset(
    {
        types.FunctionType,
        types.BuiltinFunctionType,
        types.MethodDescriptorType,
        types.WrapperDescriptorType,
        Reference,  # our own references to the functions of the sites
        type,
    }
)
