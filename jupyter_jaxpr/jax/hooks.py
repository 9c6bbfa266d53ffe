"""Hooks and listeners in JAX: they tell a `Receiver` of every miss and stage, and give way to JAX.

Every call of a jitted function that misses JAX's C++ cache comes by three small functions: `get_ctx_mesh` (it starts;
the first that `_infer_params` calls), `test_event` (it has its program and is about to run) and `_get_fastpath_data`
(it has run). None of them runs the user's code. `Hooks` puts something in their place that tells a `Receiver` and gives
way to them, so that no frame of ours is on the stack while JAX traces, compiles or runs, nor in the traceback of what
is raised there; a call that hits the C++ cache runs no Python at all, so the hooks cost it nothing. JAX's public
events (`jax.monitoring`) tell the stages.

`Hooks` puts hooks and listeners in, now or as soon as JAX is imported, and takes them out.
"""

from __future__ import annotations

import functools
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any, Protocol

from .. import plain_text
from ..interruptions import not_of_a_signal
from .calls import DerivedCall, JitCall
from .cleared_caches import ClearedCaches
from .facts import CACHE_MISS, COMPILE_EVENT, FROM_DISK_EVENT, LOWER_EVENT, TRACE_EVENT, imported, private, staging
from .support import Support, support
from .when_imported import WhenImported

_WRAPPED_NAME = re.compile(r"\w+\((.*)\)", re.DOTALL)
_NAMES = 1_000


class Receiver(Protocol):
    """The object that the hooks call; no method may raise, and each runs on the thread that called JAX.

    Attributes:
        library: the number of misses of each library function, by id; the receiver adds the functions.
        shows_libraries: whether the receiver wants to know of library calls outside of a trace.
    """

    library: dict[int, int]
    shows_libraries: bool

    def installed(self) -> None:
        """Receive the news that the hooks are installed."""

    def missed(self, call: JitCall) -> bool:
        """Receive a call that missed the C++ cache; return whether to report its further stages."""

    def asked_ahead(self, fun: Any, options: Any, frame: FrameType) -> None:
        """Receive a jitted function whose trace, lowering or shapes are requested without a call, and JAX's frame."""

    def traced(self, call: JitCall) -> None:
        """Receive a call with `params` and `args_flat`: JAX traced the function, or found an earlier trace.

        The program has not run yet. JAX's trace of the function for another transformation is not reported.
        """

    def trace_raised(self, name: str | None, error: BaseException | None) -> None:
        """Receive the error of an outermost trace, with the name of the function in JAX's events.

        `error` is still on its way through JAX; None where this version of JAX does not show the error.
        """

    def executed(self, call: JitCall, executable: Any, fast_path: bool) -> None:
        """Receive a call that has run; `fast_path` says whether the next such call will hit the C++ cache.

        `executable` is None where another transformation or trace handled the call.
        """

    def derived(self, call: DerivedCall) -> None:
        """Receive a program that JAX derived from a jitted function and ran outside of any jit."""

    def stage_started(self, event: str, name: str | None) -> None:
        """Receive the start of a trace, lowering or compile."""

    def stage_ended(self, event: str, name: str | None, seconds: float) -> None:
        """Receive the end of a trace, lowering or compile."""

    def from_disk(self) -> None:
        """Receive the news that the present compile took its executable from the persistent cache."""


class Hooks:
    """Installs the hooks and listeners in JAX, and removes them."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self.cleared = ClearedCaches()
        self._support: Support | None = None
        self._originals: dict[tuple[str, str], Callable[..., Any]] = {}  # the replaced functions by module and name
        self._open: dict[int, JitCall] = {}  # calls that have not run yet, by id of their frame
        self._finder: WhenImported | None = None
        self._lock = threading.RLock()
        self.failed: list[BaseException] = []  # errors of this package, for the next observation
        self._plain: dict[Any, str] = {}  # the name of a function by its name in JAX's events
        self.tells_calls = False  # whether the tier is `hooks` and the hooks are installed
        # During a recording: receives JAX's frame of a miss and the flat results of each program that ran.
        self.ran: Callable[[FrameType, Any], None] | None = None
        # During a recording: receives the arguments and the results of `jax.device_put`.
        self.put: Callable[[Any, Any], None] | None = None
        self.asking_thread = 0  # the id of a thread on which this package asks JAX for a program; 0: none
        self.overflowed = False  # the user's stack reached Python's recursion limit: a miss may not have been reported

    @property
    def support(self) -> Support:
        """What the observer can report; before JAX is imported, the tier `hooks` is assumed."""
        return self._support or support()

    def ensure(self) -> None:
        """Install the hooks in the imported JAX, or wait for its import; may be called often."""
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
        ) as error:  # a JAX that the self-test took for one we know: JAX stays as it was
            self.fail(error)
            self._take_out()
            self._support = support("events")
            return
        self.tells_calls = True
        _tell(self.fail, self._receiver.installed)

    def _put_in(self) -> None:
        api, dispatch, pjit, util = map(private, ("api", "dispatch", "pjit", "util"))
        _tell(self.fail, self.cleared.watch)
        self._put(pjit, "get_ctx_mesh", self._before_trace(pjit._infer_params))
        self._put(util, "test_event", self._before_run(pjit._pjit_call_impl_python))
        self._put(api, "tree_unflatten", self._after_device_put(api.device_put))
        self._put(dispatch, "log_elapsed_time", self._before_event)
        self._wrap(pjit, "_get_fastpath_data", self._after_run)

    def _take_out(self) -> None:
        for (module, name), original in self._originals.items():
            # A wrapper of other code around our hook stays, and its calls go through.
            holder = sys.modules.get(module)
            if holder is not None and getattr(getattr(holder, name), "__jupyter_jaxpr__", None) is self:
                setattr(holder, name, original)
        self._originals.clear()
        self.cleared.end()
        self._open.clear()

    def _put(self, module: Any, name: str, tell: Callable[[], Callable[..., Any] | None]) -> None:
        """Replace a function of JAX by an object that calls `tell` before the call; ours is not on the stack then.

        A function that `tell` returns is called in place of the original one. Before Python calls an object, it asks
        the type for `__call__` and calls the result of that property, which is the original function. By then no frame
        of ours is left.
        """
        originals = self._originals
        original: Callable[..., Any] = getattr(module, name)

        def called(_: Any) -> Callable[..., Any]:
            try:
                if originals:
                    return tell() or original
            except RecursionError:  # the user's stack is full, and JAX itself will raise
                self.overflowed = True
            return original

        teller: Any = type(name, (), {"__call__": property(called)})()
        functools.update_wrapper(teller, original)
        self._replace(module, name, teller)

    def _wrap(self, module: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        original = getattr(module, name)
        self._replace(module, name, functools.wraps(original)(make(original)))

    def _replace(self, module: Any, name: str, other: Any) -> None:
        self._originals[module.__name__, name] = getattr(module, name)
        other.__jupyter_jaxpr__ = self  # marks the object for `remove`
        setattr(module, name, other)

    def _before_trace(self, infer_params: Any) -> Callable[[], None]:
        # JAX's own functions miss hundreds of times in one trace of the user's: they take the first, shortest path.
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
                opened.pop(id(frame), None)  # the frame was ended by an exception
            variables = inner.f_locals
            fun = variables[name_of_fun]
            if id(fun) in library:
                library[id(fun)] += 1
                if not receiver.shows_libraries or frame.f_code.co_name != CACHE_MISS or staging():
                    return
            try:
                if frame.f_code.co_name != CACHE_MISS:  # JAX only traces, for `f.trace`, `f.lower` or `f.eval_shape`
                    receiver.asked_ahead(fun, variables[name_of_options], frame)
                    return
                call = JitCall(
                    fun, variables[name_of_options], variables[name_of_args], variables[name_of_kwargs], frame
                )
                wanted = receiver.missed(call)
                call.drop_values()
                if wanted:
                    opened[id(frame)] = call
                    if len(opened) > 100:
                        self.forget_ended()
            except not_of_a_signal(Exception) as error:
                failed(error)

        return before_trace

    def forget_ended(self) -> None:
        """Drop the ended calls of this thread that raised, because they keep the called functions alive."""
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
            return  # the trace was reported, or JAX still traces: what runs meanwhile belongs to the trace
        try:
            call.frame = frame
            call.take_trace()
            self._receiver.traced(call)
        except not_of_a_signal(Exception) as error:
            self.fail(error)
        finally:
            call.args, call.kwargs, call.frame = (), {}, None

    def _before_event(self) -> Callable[..., Any] | None:
        """Return a context without events while this package asks JAX for a program: a look-up is no trace."""
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
            if args[0] is None and not opened:  # the program is a part of a trace
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
        while caller is not None:  # find the call from which JAX derived the program for a transformation
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

    def fail(self, error: BaseException) -> None:
        """Keep an error of this package for the next observation."""
        if isinstance(error, RecursionError):
            self.overflowed = True
        elif len(self.failed) < 10:
            self.failed.append(error)

    # --- JAX's events ---

    def _listen(self) -> None:
        """Register the listeners that are missing; `jax.monitoring.clear_event_listeners` removes all of them."""
        for listener, listeners, register, _ in self._listeners():
            if listener not in listeners():
                register(listener)

    def _listens(self) -> bool:
        """Return whether this version of JAX has the events that this package knows."""
        return self._support is not None and self._support.tier in ("hooks", "events")

    def _stop_listening(self) -> None:
        if "jax._src.monitoring" in sys.modules:
            for listener, listeners, _, unregister in self._listeners():
                if listener in listeners():
                    unregister(listener)

    def _listeners(self) -> tuple[tuple[Any, ...], ...]:
        events = private("monitoring")
        return (
            (
                self._on_duration,
                events.get_event_duration_listeners,
                events.register_event_duration_secs_listener,
                events.unregister_event_duration_listener,
            ),
            (
                self._on_event,
                events.get_event_listeners,
                events.register_event_listener,
                events.unregister_event_listener,
            ),
            (
                self._on_scalar,
                events.get_scalar_listeners,
                events.register_scalar_listener,
                events.unregister_scalar_listener,
            ),
        )

    # A trace of a user's function contains hundreds of JAX's own: the next two methods are as short as possible.

    def _on_duration(self, event: str, seconds: float, fun_name: Any = None, **_: Any) -> None:
        if event in _STAGE_EVENTS:
            try:
                name = (self._plain.get(fun_name) if type(fun_name) is str else None) or self._plain_name(fun_name)
                self._receiver.stage_ended(event, name, seconds)
                if event == TRACE_EVENT and (leaving := _raising(sys._getframe(1))) is not None:
                    self._receiver.trace_raised(name, leaving.get("exc_value"))
            except RecursionError:
                self.overflowed = True
            except not_of_a_signal(Exception) as error:
                self.fail(error)

    def _on_scalar(self, event: str, value: Any, fun_name: Any = None, **_: Any) -> None:
        if event in _STAGE_EVENTS:  # JAX reports the time of the start under the name of the duration event
            try:
                name = (self._plain.get(fun_name) if type(fun_name) is str else None) or self._plain_name(fun_name)
                self._receiver.stage_started(event, name)
            except RecursionError:
                self.overflowed = True
            except not_of_a_signal(Exception) as error:
                self.fail(error)

    def _plain_name(self, name: Any) -> str | None:
        """Return the name of the function: after its trace, JAX's events say jit(f) for f.

        Names are cached: parsing them is half of the work after a compile.
        """
        if not issubclass(type(name), str):
            return None
        name = str.__str__(name)
        if len(self._plain) >= _NAMES:
            self._plain.clear()
        wrapped = _WRAPPED_NAME.fullmatch(name)
        plain = plain_text.exact(wrapped.group(1) if wrapped else name)
        if len(name) <= plain_text.Limit.FILE:
            self._plain[name] = plain
        return plain

    def _on_event(self, event: str, **facts: Any) -> None:
        if event == FROM_DISK_EVENT:
            _tell(self.fail, self._receiver.from_disk)


def _no_event(*_: Any, **__: Any) -> AbstractContextManager[None]:
    return nullcontext()


def _raising(frame: FrameType) -> dict[str, Any] | None:
    """Return JAX's variables on the exception that ended a stage; None without an exception.

    `frame` is the frame that called the listener.
    """
    leaving = frame.f_back
    if leaving is None or leaving.f_locals.get("exc_type") is None:
        return None
    return leaving.f_locals


_STAGE_EVENTS = frozenset({TRACE_EVENT, LOWER_EVENT, COMPILE_EVENT})
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


def _tell(failed: Callable[[BaseException], None], method: Callable[..., None], *facts: Any) -> None:
    """Call a method of the receiver; an error of this package never reaches the user's call."""
    try:
        method(*facts)
    except not_of_a_signal(Exception) as error:
        failed(error)
