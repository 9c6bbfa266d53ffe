"""Puts hooks into JAX that report every miss to a `Receiver`; JAX's own functions then run as usual.

Every call of a jitted function that misses JAX's C++ cache calls three small functions of JAX: `get_ctx_mesh` (at the
start; the first one that `_infer_params` calls), `test_event` (the program exists and is about to run) and
`_get_fastpath_data` (the program has run). None of them runs user code. `Hooks` replaces each by an object that first
reports to a `Receiver` and then hands the call over to JAX's function, so that no frame of this package is on the stack
while JAX traces, compiles or runs, or in the traceback of an error. A call that hits the C++ cache runs no Python, so
the hooks do not slow it down. Stage times come from JAX's public events (`event_listeners`).

`Hooks` installs the hooks and listeners, at once or as soon as JAX is imported, and removes them.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any

from .. import plain_text
from ..interruptions import not_of_a_signal
from .cleared_caches import ClearedCaches
from .event_listeners import EventListeners
from .facts import CACHE_MISS, imported, private, staging
from .missed_calls import DerivedCall, JitCall
from .receiver import Receiver, tell_receiver
from .support import Support, support
from .when_imported import WhenImported


class Hooks(EventListeners):
    """Installs the hooks and listeners in JAX, and removes them.

    Attributes:
        tells_calls: true if the tier is `hooks` and the hooks are installed, so that calls are reported.
        asking_thread: the id of the thread on which this package asks JAX for a program; 0 if none does.
    """

    def __init__(self, receiver: Receiver) -> None:
        super().__init__(receiver)
        self.cleared = ClearedCaches()
        # (module, name) -> the function of JAX that was replaced
        self._originals: dict[tuple[str, str], Callable[..., Any]] = {}
        self._open: dict[int, JitCall] = {}  # id of the frame -> call, for calls that have not run yet
        self._finder: WhenImported | None = None
        self._lock = threading.RLock()
        self.tells_calls = False
        # A function during a recording, else None: called after each miss with JAX's frame and the flat results.
        self.ran: Callable[[FrameType, Any], None] | None = None
        # A function during a recording, else None: called with the arguments and the results of each `jax.device_put`.
        self.put: Callable[[Any, Any], None] | None = None
        self.asking_thread = 0

    @property
    def support(self) -> Support:
        """What the observer can report; before JAX is imported, the tier is assumed to be `hooks`."""
        return self._support or support()

    def ensure(self) -> None:
        """Install the hooks now if JAX is imported, else as soon as JAX is imported. Further calls change nothing."""
        with self._lock:
            if imported():
                if not self._originals:
                    self._install()
                if self._listens():
                    self._listen()
            elif self._finder is None and "jax" not in sys.modules:
                self._finder = WhenImported("jax", self.ensure)
                sys.meta_path.insert(0, self._finder)

    @contextmanager
    def for_a_while(self) -> Iterator[None]:
        """Install the hooks within the block, and restore the earlier state afterwards."""
        before = bool(self._originals) or self._finder is not None
        self.ensure()
        try:
            yield
        finally:
            if not before:
                self.remove()

    def remove(self) -> None:
        """Remove the hooks, and restore JAX."""
        with self._lock:
            if self._finder is not None:
                self._finder.stop()
                self._finder = None
            self._take_out()
            if self._listens():
                self._stop_listening()
            self._support = None
            self.tells_calls = False

    def _install(self) -> None:
        self._support = support()
        if self._support.tier != "hooks":
            return
        try:
            self._put_in()
        except not_of_a_signal(
            Exception
        ) as error:  # the self-test passed, but this version of JAX differs after all: leave JAX unchanged
            self.fail(error)
            self._take_out()
            self._support = support("events")
            return
        self.tells_calls = True
        tell_receiver(self.fail, self._receiver.installed)

    def _put_in(self) -> None:
        api, dispatch, pjit, util = map(private, ("api", "dispatch", "pjit", "util"))
        tell_receiver(self.fail, self.cleared.watch)
        self._put(pjit, "get_ctx_mesh", self._before_trace(pjit._infer_params))
        self._put(util, "test_event", self._before_run(pjit._pjit_call_impl_python))
        self._put(api, "tree_unflatten", self._after_device_put(api.device_put))
        self._put(dispatch, "log_elapsed_time", self._before_event)
        self._wrap(pjit, "_get_fastpath_data", self._after_run)

    def _take_out(self) -> None:
        for (module, name), original in self._originals.items():
            # If other code has wrapped the hook, the wrapper stays, and its calls reach JAX's function.
            holder = sys.modules.get(module)
            if holder is not None and getattr(getattr(holder, name), "__jupyter_jaxpr__", None) is self:
                setattr(holder, name, original)
        self._originals.clear()
        self.cleared.end()
        self._open.clear()

    def _put(self, module: Any, name: str, tell: Callable[[], Callable[..., Any] | None]) -> None:
        """Replace a function of JAX by an object that calls `tell` before each call, and then calls JAX's function.

        If `tell` returns a function, this one is called instead. To call an object, Python gets `__call__` from its
        class. Here `__call__` is a property: it calls `tell`, returns JAX's function, and ends; only then Python calls
        that function, so no frame of this package is on the stack.
        """
        originals = self._originals
        original: Callable[..., Any] = getattr(module, name)

        def called(_: Any) -> Callable[..., Any]:
            try:
                if originals:
                    return tell() or original
            except RecursionError:  # the stack is full, so JAX itself is about to raise a RecursionError, too
                self.overflowed = True
            return original

        teller: Any = type(name, (), {"__call__": property(called)})()
        functools.update_wrapper(teller, original)
        self._replace(module, name, teller)

    def _wrap(self, module: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        original = getattr(module, name)
        self._replace(module, name, functools.wraps(original)(make(original)))

    def _replace(self, module: Any, name: str, replacement: Any) -> None:
        self._originals[module.__name__, name] = getattr(module, name)
        replacement.__jupyter_jaxpr__ = self  # `remove` removes only objects with this attribute
        setattr(module, name, replacement)

    def _before_trace(self, infer_params: Any) -> Callable[[], None]:
        # One trace of a user function contains hundreds of misses of JAX's own functions. Therefore `before_trace`
        # returns as early as possible for such a miss, and uses local variables.
        receiver, library, opened = self._receiver, self._receiver.library, self._open
        get_frame, failed = sys._getframe, self.fail
        code = infer_params.__code__
        name_of_fun, name_of_options, name_of_args, name_of_kwargs = code.co_varnames[:4]

        def before_trace() -> None:
            if self.asking_thread and self.asking_thread == threading.get_ident():
                return
            inner = get_frame(2)
            if inner.f_code is not code or (frame := inner.f_back) is None:
                return
            if opened:
                # A call with this frame's id is still open only if an exception ended the call.
                opened.pop(id(frame), None)
            variables = inner.f_locals
            fun = variables[name_of_fun]
            if id(fun) in library:
                library[id(fun)] += 1
                if not receiver.shows_libraries or frame.f_code.co_name != CACHE_MISS or staging():
                    return
            try:
                # not a call: JAX only traces, for `f.trace`, `f.lower` or `f.eval_shape`
                if frame.f_code.co_name != CACHE_MISS:
                    receiver.asked_ahead(fun, variables[name_of_options], frame)
                    return
                call = JitCall(
                    fun, variables[name_of_options], variables[name_of_args], variables[name_of_kwargs], frame
                )
                keeps_stages = receiver.missed(call)
                call.drop_values()
                if keeps_stages:
                    opened[id(frame)] = call
                    if len(opened) > 100:
                        self.forget_ended()
            except not_of_a_signal(Exception) as error:
                failed(error)

        return before_trace

    def forget_ended(self) -> None:
        """Forget the records of calls of this thread that ended with an exception.

        The records keep the called functions alive.
        """
        for key in [key for key, call in list(self._open.items()) if call.is_over()]:
            self._open.pop(key, None)

    def _before_run(self, call_python: Any) -> Callable[[], None]:
        get_frame, opened, code = sys._getframe, self._open, call_python.__code__

        def before_run() -> None:
            if opened and (inner := get_frame(2)).f_code is code and inner.f_back is not None:
                frame = inner.f_back.f_back
                call = opened.get(id(frame))
                if call is not None and frame is not None and call.is_in(frame):
                    self._tell_traced(call, frame)

        return before_run

    def _tell_traced(self, call: JitCall, frame: FrameType) -> None:
        if call.params is not None or "p" not in frame.f_locals:
            # the trace was already reported, or JAX is still tracing and this event belongs to something inside the
            # trace
            return
        try:
            call.frame = frame
            call.take_trace()
            self._receiver.traced(call)
        except not_of_a_signal(Exception) as error:
            self.fail(error)
        finally:
            call.args, call.kwargs, call.frame = (), {}, None

    def _before_event(self) -> Callable[..., Any] | None:
        """Return a context manager that reports no event if this package is asking JAX for a program; else None.

        JAX then only looks the program up, which must not be reported as a trace.
        """
        return _no_event if self.asking_thread and self.asking_thread == threading.get_ident() else None

    def _after_device_put(self, device_put: Any) -> Callable[[], None]:
        get_frame, code = sys._getframe, device_put.__code__

        def after_device_put() -> None:
            if self.put is not None and (frame := get_frame(2)).f_code is code:
                variables = frame.f_locals
                try:
                    self.put(variables["x_flat"], variables["out_flat"])
                except not_of_a_signal(Exception) as error:
                    self.fail(error)

        return after_device_put

    def _after_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        get_frame, failed, opened, receiver = sys._getframe, self.fail, self._open, self._receiver

        def get_fastpath_data(*args: Any) -> Any:
            __tracebackhide__ = True
            fast_path = original(*args)
            if args[0] is None and not opened:  # the call became part of an enclosing trace, so no program ran
                return fast_path
            frame = get_frame(1)
            try:
                if args[0] is not None and self.ran is not None:
                    self.ran(frame, args[3])
                call = opened.pop(id(frame), None) if opened else None
                if call is not None and call.is_in(frame):
                    call.frame = frame
                    if call.params is None:
                        call.take_trace()
                    receiver.executed(call, args[0], fast_path is not None)
                elif frame.f_code.co_name == "call_impl_cache_miss":
                    self._tell_derived(frame, args[0])
            except RecursionError:
                self.overflowed = True
            except not_of_a_signal(Exception) as error:
                failed(error)
            return fast_path

        return get_fastpath_data

    def _tell_derived(self, frame: FrameType, executable: Any) -> None:
        caller = frame.f_back
        # The call whose program JAX transformed into the derived program is on the stack: find it.
        while caller is not None:
            call = self._open.get(id(caller))
            if call is not None and call.is_in(caller):
                self._tell_traced(call, caller)
            caller = caller.f_back
        variables = frame.f_locals
        params = {name: variables[name] for name in _DERIVED_PARAMS if name in variables}
        self._receiver.derived(
            DerivedCall(
                plain_text.text_of(variables["name"]),
                params,
                tuple(variables["args"]),
                variables.get("out_flat", ()),
                executable,
            )
        )


def _no_event(*_: Any, **__: Any) -> AbstractContextManager[None]:
    return nullcontext()


_DERIVED_PARAMS = (
    "jaxpr",
    "in_shardings",
    "out_shardings",
    "in_layouts",
    "out_layouts",
    "donated_invars",
    "ctx_mesh",
    "name",
    "keep_unused",
    "inline",
    "compiler_options_kvs",
)
