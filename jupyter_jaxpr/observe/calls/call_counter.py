"""Counts the calls of each jitted function, and the lines that made the calls.

A call that hits JAX's C++ cache runs no Python of JAX, so this module watches the places in Python code that make calls
(sites).

From Python 3.12 on `sys.monitoring` reports every call that Python code makes. Reports of a site that calls no jitted
function are switched off: at once for a site in a package, after some calls for a site in user code. So only calls of
jitted functions get slower (by 0.4 us). Python does not report calls from C code, such as in `map(f, xs)`: a function
that was passed to C code is recorded, and its counts are lower bounds.

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

from ...jax.constructs_outside_jit import code_of_evaluation, is_operation
from ...jax.facts import imported, jit_disabled, jit_type, staging
from ...jax.post_hook import Hits
from ...plain_text import file_of
from ..observation import Place
from ..user_or_library.users_line_of_call import user_place
from ..user_or_library.whose_code import is_installed
from .function_references import Held, Reference
from .instruction_lines import InstructionLines
from .passed_functions import CARRIERS, DO_NOT_CALL, carried_by, is_c_code, is_of_container
from .sentences_on_call_numbers import LOST, OVERFLOWED, OVERRULED
from .sys_monitoring import HAS_MONITORING, MonitoringTool, monitoring


class CallsAt(NamedTuple):
    """The number of calls of a jitted function from one line.

    Attributes:
        called: the called function; None if it was deleted.
        place: the user's line; None if the line is unknown.
        record: for a function that was deleted: the record that `record_of` returned for the function.
    """

    called: Any
    times: int
    place: Place | None
    record: Any = None


# after this many calls of functions that are not jitted, the reports of a site in user code are switched off
_OTHER_CALLS = 50
_CALLED_ELSEWHERE = 100  # How many functions that other threads called are kept, at most, between two calls of `drain`.
# Tool ids of sys.monitoring, in the order of preference: 4 and 3 have no conventional use, coverage tools use 1.
_TOOL_IDS = (4, 3, 1)
_watching: CallCounter | None = None  # the counter that counts at present; only one cell can be counted at a time

# [code object, weak reference to the called function, number of calls, instruction offset, place or None]. The
# reference is weak, so that the counter does not keep the function alive.
_Site = list[Any]


class CallCounter:
    """Counts the calls of jitted functions that one thread makes between `start` and `stop`.

    Args:
        library: ids of library functions; the places of their calls are not looked up.

    Attributes:
        overflowed: the user's stack reached Python's recursion limit, so that the counter missed calls; assigned
            directly, because a call would raise.
        without_jit: a jitted function was called while `jax.disable_jit` was on.
        drains: a function that calls `drain`. It is called before Python's full garbage collections, because calls that
            are not drained keep JAX's objects of derived programs alive.
        record_of: returns the record of a jitted function. The record receives the calls of a function that is deleted
            before `drain` is called.
        first_called: called with a jitted function before its first call from a place since the last `drain`, or when
            the function is passed to C code.
        other_called: called for the user's calls of other objects, with the code object, the instruction's offset, the
            called object and the first argument; only the first calls of each instruction are reported.
    """

    def __init__(self, library: Mapping[int, int] | None = None) -> None:
        self._library: Mapping[int, int] = {} if library is None else library
        self.drains: Callable[[], object] | None = None
        self.record_of: Callable[[Any], Any] = lambda called: None
        self.other_called: Callable[[CodeType, int, Any, Any], None] | None = None
        self.first_called: Callable[[Any], None] | None = None
        # reference to a function -> its record, for functions that were called after the last `drain`
        self._records: dict[Any, Any] = {}
        # id of a function -> reference to the function, for functions that were called after the last `drain`
        self._references: dict[int, Reference] = {}
        self._draining = False
        # the sites of calls after the last `drain`, in the order of their first calls
        self._sites: dict[Any, _Site] = {}
        # instruction offset -> the last site with this offset; the next call at this offset is compared with this site
        # first
        self._newest: dict[int, _Site] = {}
        # (code object, offset) of the last call that code of a package made after the last `drain`
        self._package_call: tuple[CodeType, int] | None = None
        self._raised: defaultdict[tuple[Any, Place | None], int] = defaultdict(int)
        self._handed: dict[Any, Place | None] = {}
        # id of a function that another thread called -> reference to the function
        self._elsewhere: dict[int, Reference] = {}
        self._lines = InstructionLines()
        self._tool: MonitoringTool | None = None
        self._hits: Hits | None = None
        self._lost: str | None = None
        self.overflowed = False
        self.without_jit = False
        self._thread = 0
        self._evaluation: CodeType | None = None  # the code object of JAX that runs each operation outside of jit
        self.running = self._ending = False

    def start(self) -> None:
        """Start counting on this thread; do nothing if another cell is counted or JAX is not imported."""
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
        """Stop counting and release `sys.monitoring`; called again, complete a stop that an interrupt cut short."""
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
        """True if `drain_raised`, `drain_handed` or `drain_elsewhere` has something to return."""
        return bool(self._raised or self._handed or self._elsewhere)

    @property
    def sees(self) -> bool:
        """True if calls can be counted at present; False if debuggers and profilers use every tool id."""
        return self.running and (self._hits is not None or self._tool is not None)

    @property
    def lost(self) -> str | None:
        """A sentence on why calls may have been missed; None if every call from Python code was counted."""
        taken_away = self._tool is not None and not self._tool.is_ours
        overruled = self._hits is not None and not self._hits.all_told
        overflowed = self.overflowed or (self._hits is not None and self._hits.overflowed)
        if self._ending:
            return self._lost
        return self._lost or (LOST if taken_away else OVERRULED if overruled else OVERFLOWED if overflowed else None)

    def drained(self) -> None:
        """Forget the records and the references, after the drained calls were added to the counts."""
        self._records.clear()
        self._references.clear()

    def drain(self) -> list[CallsAt]:
        """Return the calls after the last `drain`, for each function and place, in the order of the first calls.

        The observer calls `drain` at each miss: the reference to a function object must be dropped before the same line
        makes a new object.
        """
        if not self._sites or self._draining:
            return []
        # the most frequent case: the call that misses at present is the only call since the last `drain`
        if len(self._sites) == 1:
            _, site = self._sites.popitem()
            self._newest.clear()
            self._package_call = None
            return [self._calls_at(site)]
        self._draining = True  # a garbage collection during `drain` would call `drain` again
        self._package_call = None
        try:
            sites = list(self._sites.values())
            self._newest.clear()
            self._sites.clear()
            return list(map(self._calls_at, sites))
        finally:
            self._draining = False

    def has_counted(self, caller: FrameType | None) -> bool:
        """Return whether the counter has already counted the call that the frame `caller` makes at present.

        The call is not counted if its site is in a package, and the reports of the site were switched off earlier.
        """
        if caller is None:
            return False
        code, offset = caller.f_code, caller.f_lasti
        if self._package_call is not None and self._package_call[0] is code:
            if code is self._evaluation or self._package_call[1] == offset:
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
        """Return a reference to a jitted function.

        Calling the reference returns the function, or None after the function was deleted.
        """
        # a jitted function that JAX made under grad or vmap is kept alive for the counts, because JAX drops it at once
        if getattr(called, "_fun", None) is None:
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
        except RecursionError:  # if the error left this callback, Python would print the error
            self.overflowed = True

    def forget(self, fun: Any) -> None:
        """Forget the last counted call if it called `fun`, a function of JAX itself.

        An eager `shard_map` makes several such functions for one call. If the counter kept them alive, JAX would find
        them again by value, and would compile less often than without the observer.
        """
        if not self._sites:
            return
        key = next(reversed(self._sites))
        if getattr(key[0](), "_fun", None) is fun:
            code, _, _, offset, _ = site = self._sites.pop(key)
            if code is not None and self._newest.get(offset) is site:
                del self._newest[offset]

    def drain_raised(self) -> list[CallsAt]:
        """Return the calls that raised after the last `drain_raised`, for each function and place.

        For example, an unhashable static argument raises before JAX looks for a cache entry. Python 3.11 does not
        report such calls.
        """
        if not self._raised:
            return []
        records = self._records
        raised = [CallsAt(refer(), times, place, records.get(refer)) for (refer, place), times in self._raised.items()]
        self._raised.clear()
        return raised

    def drain_handed(self) -> list[CallsAt]:
        """Return the functions that were passed to C code, with the places: C code may call them without a report.

        Python 3.11 does not report functions that are passed to C code.
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
        """Switch the reports of all sites on again, because a site may call a jitted function from now on."""
        if self._tool is not None and self._tool.is_ours:
            monitoring().restart_events()

    def _hit(self, called: Any, frame: FrameType) -> None:
        """Count a hit that JAX's hook reports. Used on Python 3.11."""
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

    def constructed(self, called: Any, frame: FrameType) -> None:
        """Count the call of a construct such as `scan`, which JAX evaluates outside of jit in `frame`."""
        if self._tool is not None and self._tool.is_ours and threading.get_ident() == self._thread:
            self._count_first(frame.f_code, frame.f_lasti, called, frame)

    def _count_first(self, code: CodeType, offset: int, called: Any, frame: FrameType | None = None) -> None:
        """Count a call from a site that is not the most recent site with this offset."""
        if jit_disabled():
            # under `jax.disable_jit`, the call runs the Python of the function, and is no call of a jitted function
            self.without_jit = True
            return
        is_of_package = is_installed(file_of(code))
        if is_of_package and id(getattr(called, "_fun", None)) in self._library:
            return  # code of a package calls one of its own jitted functions, so the call is not the user's
        if self.first_called is not None:
            self.first_called(called)
        if is_of_package:
            # The site is in a package. The user's line is in an outer frame, and may be another line at the next call.
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
            """Handle a call of an object that is not jitted; return whether to switch off the reports of the site."""
            if type(first) is the_jit_type or type(first) in CARRIERS:
                self._note_handed(called, first)
            if is_installed(file_of(code)):
                return True
            if self.other_called is not None and threading.get_ident() == self._thread:
                self.other_called(code, offset, called, first)
            if type(first) is the_jit_type and type(called) is types.FunctionType:
                # A package function such as jax.tree.map(f, xs) calls f from a site in the package. An earlier call has
                # switched off the reports of this site, so they are switched on again.
                monitor.restart_events()
                return False
            other_calls[id(code), offset] += 1
            return other_calls[id(code), offset] > _OTHER_CALLS

        # This callback runs at every call of a jitted function, and once at each of the thousands of sites in JAX that
        # a trace passes; for these sites the callback returns first. It reads only local variables and makes few calls,
        # because its own calls are reported, too.
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
                elif code is evaluation:
                    # `constructed` counts the calls of constructs; operations outside of jit are not counted
                    return disable
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
            except RecursionError:  # the stack is full, and the user's call will raise a RecursionError, too
                self.overflowed = True
            return None

        def on_raise(code: Any, offset: int, called: Any, first: Any) -> None:
            try:
                if type(called) is not the_jit_type:
                    called = carried_by(called)
                is_ours = type(called) is the_jit_type and threading.get_ident() == self._thread
                if is_ours and not staging():  # inside of a trace, the call counts as inlined
                    self._raised[self._refer(called), user_place(sys._getframe(1))] += 1
            except RecursionError:
                self.overflowed = True

        events = monitor.events
        self._tool = MonitoringTool.take(_TOOL_IDS, "calls", {events.CALL: on_call, events.C_RAISE: on_raise})
        if self._tool is not None:
            # Python reports CALL, C_RAISE and C_RETURN only together.
            monitor.set_events(self._tool.number, events.CALL | events.C_RAISE | events.C_RETURN)
            monitor.restart_events()

    def _note_handed(self, called: Any, first: Any) -> None:
        """Record a function that was passed to C code, such as `map`; the C code may call it without a report."""
        if threading.get_ident() != self._thread or not is_c_code(called):
            return
        if id(called) in DO_NOT_CALL or is_of_container(called):
            return
        handed = carried_by(first) if type(first) is not jit_type() else first
        if type(handed) is jit_type():
            self._handed.setdefault(self._refer(handed), user_place(sys._getframe(3)))
            if self.first_called is not None:
                self.first_called(handed)


# A call of an object of one of these types runs no user code.
_BARE: frozenset[type] = frozenset(
    {
        types.FunctionType,
        types.BuiltinFunctionType,
        types.MethodDescriptorType,
        types.WrapperDescriptorType,
        Reference,  # this package's own reference to a called function
        type,
    }
)
