"""Listens to JAX's public events (`jax.monitoring`), which report the stages of each call."""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Any

from .. import plain_text
from ..interruptions import not_of_a_signal
from .facts import COMPILE_EVENT, FROM_DISK_EVENT, LOWER_EVENT, TRACE_EVENT, private
from .receiver import Receiver, tell_receiver
from .support import Support

_WRAPPED_NAME = re.compile(r"\w+\((.*)\)", re.DOTALL)
_NAMES = 1_000
_STAGE_EVENTS = frozenset({TRACE_EVENT, LOWER_EVENT, COMPILE_EVENT})


class EventListeners:
    """Registers the listeners in JAX, removes them, and tells a receiver of each stage."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._support: Support | None = None
        self.failed: list[BaseException] = []  # errors of this package, for the next observation
        self._plain: dict[Any, str] = {}  # the name of a function by its name in JAX's events
        self.overflowed = False  # the user's stack reached Python's recursion limit: a miss may not have been reported

    def fail(self, error: BaseException) -> None:
        """Keep an error of this package for the next observation."""
        if isinstance(error, RecursionError):
            self.overflowed = True
        elif len(self.failed) < 10:
            self.failed.append(error)

    def _listen(self) -> None:
        """Register the missing listeners; `jax.monitoring.clear_event_listeners` removes all listeners."""
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
            tell_receiver(self.fail, self._receiver.from_disk)


def _raising(frame: FrameType) -> dict[str, Any] | None:
    """Return JAX's variables on the exception that ended a stage; None without an exception.

    `frame` is the frame that called the listener.
    """
    leaving = frame.f_back
    if leaving is None or leaving.f_locals.get("exc_type") is None:
        return None
    return leaving.f_locals
