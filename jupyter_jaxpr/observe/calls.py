"""Calls of jitted functions in, how often each was called out.

A call that hits JAX's C++ cache runs no Python, so only the place that makes the call can be watched. From Python
3.12 on `sys.monitoring` reports every call that Python code makes; sites that call something else are switched off
one by one, a package's at once and the user's after some calls, so that only jitted calls keep costing something
(0.4 us). On 3.11 the cell's code is rewritten
instead (`jupyter_jaxpr.cell`), so there only calls written in the cell are seen.

Not seen are calls that C code makes, such as `map(f, xs)`: counts are a lower bound then.
"""

from __future__ import annotations

import functools
import sys
import threading
import types
from collections import defaultdict
from typing import Any

from .. import jax_internals
from .functions import is_installed

HAS_MONITORING = sys.version_info >= (3, 12)


def monitoring() -> Any:
    """`sys.monitoring`, of which type checkers know nothing on 3.11."""
    return vars(sys)["monitoring"]


_OTHER_CALLS = 50  # a site of the user's that called something else this often is switched off
_TOOL_IDS = (4, 3, 1)  # free ones by convention; 1 is coverage's
_TOOL_NAME = "jupyter_jaxpr"
_watching: CallCounter | None = None  # whose cell runs: what the rewritten code of 3.11 reports to


class CallCounter:
    """Counts the calls that one thread makes of jitted functions, between `start` and `stop`."""

    def __init__(self) -> None:
        self._counts: defaultdict[Any, int] = defaultdict(int)
        self._raised: defaultdict[Any, int] = defaultdict(int)
        self._tool: int | None = None
        self._thread = 0
        self.running = False

    def start(self) -> None:
        """Begin to count on this thread; does nothing while another cell is counted or before JAX is imported."""
        global _watching
        if self.running or _watching is not None or not jax_internals.imported():
            return
        _watching = self
        self.running = True
        self._thread = threading.get_ident()
        if HAS_MONITORING:
            self._start_monitoring()

    def stop(self) -> None:
        """End counting, and leave `sys.monitoring` as it was."""
        global _watching
        if not self.running:
            return
        self.running = False
        _watching = None
        if HAS_MONITORING and self._tool is not None:
            monitor = monitoring()
            monitor.set_events(self._tool, 0)
            monitor.register_callback(self._tool, monitor.events.CALL, None)
            monitor.register_callback(self._tool, monitor.events.C_RAISE, None)
            monitor.free_tool_id(self._tool)
            self._tool = None

    @property
    def sees(self) -> bool:
        """Whether calls can be counted now: False where every tool id is taken by debuggers and profilers."""
        return self.running and (not HAS_MONITORING or self._tool is not None)

    def drain(self) -> list[tuple[Any, int]]:
        """The functions called since the last time and how often, in the order of their first calls.

        To be called at each miss: a function object is let go of before a new one of the same line is made.
        """
        if not self._counts:
            return []
        counts = list(self._counts.items())
        self._counts.clear()
        return counts

    def drain_raised(self) -> list[tuple[Any, int]]:
        """Likewise, how often each raised: a static argument without a hash raises before JAX looks for an entry.

        Not known on Python 3.11.
        """
        counts = list(self._raised.items())
        self._raised.clear()
        return counts

    def watch_again(self) -> None:
        """Look again at sites that were switched off: one of them may call a jitted function by now."""
        if HAS_MONITORING and self._tool is not None:
            monitoring().restart_events()

    def count(self, called: Any) -> None:
        """Count a call reported by rewritten code."""
        if threading.get_ident() == self._thread:
            if type(called) is not jax_internals.jit_type():
                called = _carried(called)
            if type(called) is jax_internals.jit_type():
                self._counts[called] += 1

    def _start_monitoring(self) -> None:
        monitor = monitoring()
        for tool in _TOOL_IDS:
            if monitor.get_tool(tool) is None:
                monitor.use_tool_id(tool, _TOOL_NAME)
                self._tool = tool
                break
        else:
            return

        others: defaultdict[tuple[int, int], int] = defaultdict(int)

        def other_call(code: Any, offset: int) -> bool:
            """Whether to switch a site off that has just called something else."""
            if is_installed(code.co_filename):
                return True
            others[id(code), offset] += 1
            return others[id(code), offset] > _OTHER_CALLS

        # Everything the callback reads is a local: it runs at every jitted call.
        the_jit_type = jax_internals.jit_type()

        def on_call(
            code: Any,
            offset: int,
            called: Any,
            first: Any,
            jit_type: type = the_jit_type,
            counts: defaultdict[Any, int] = self._counts,
            thread: int = self._thread,
            get_thread: Any = threading.get_ident,
            carried: Any = _carried,
            other_call: Any = other_call,
            disable: Any = monitor.DISABLE,
        ) -> Any:
            if type(called) is not jit_type:
                called = carried(called)
                if type(called) is not jit_type:
                    return disable if other_call(code, offset) else None
            if get_thread() == thread:
                counts[called] += 1
            return None

        def on_raise(code: Any, offset: int, called: Any, first: Any) -> None:
            if type(called) is not the_jit_type:
                called = _carried(called)
            here = type(called) is the_jit_type and threading.get_ident() == self._thread
            if here and not jax_internals.staging():  # within a trace it counts as inlined
                self._raised[called] += 1

        monitor.register_callback(self._tool, monitor.events.CALL, on_call)
        monitor.register_callback(self._tool, monitor.events.C_RAISE, on_raise)
        # Python takes the three only together.
        monitor.set_events(self._tool, monitor.events.CALL | monitor.events.C_RAISE | monitor.events.C_RETURN)
        monitor.restart_events()


def _carried(called: Any) -> Any:
    """The function inside a bound method or a partial, or that an object runs when it is called."""
    while type(called) in _CARRIERS:
        called = called.__func__ if type(called) is types.MethodType else called.func
    if type(called) is jax_internals.jit_type():
        return called
    for base in type(called).__mro__:
        if "__call__" in base.__dict__:
            return base.__dict__["__call__"]
    return None


_CARRIERS = frozenset({types.MethodType, functools.partial})


def report(called: Any) -> Any:
    """What rewritten code passes each callee through; returns it."""
    if _watching is not None:
        _watching.count(called)
    return called
