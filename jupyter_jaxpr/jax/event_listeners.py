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
    """Registers listeners to JAX's events and reports each stage to a receiver.

    Attributes:
        failed: errors of this package, which the next observation reports.
        overflowed: true if the stack reached Python's recursion limit, so that a miss may not have been reported.
    """

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._support: Support | None = None
        self.failed: list[BaseException] = []
        self._plain: dict[Any, str] = {}  # name in JAX's events, such as jit(f) -> plain name, such as f
        self.overflowed = False

    def fail(self, error: BaseException) -> None:
        """Keep an error of this package; the next observation reports it."""
        if isinstance(error, RecursionError):
            self.overflowed = True
        elif len(self.failed) < 10:
            self.failed.append(error)

    def _listen(self) -> None:
        """Register the listeners that are missing; `jax.monitoring.clear_event_listeners` may have removed them."""
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

    # A trace of a user function contains hundreds of traces of JAX's own functions, so the next two methods are as
    # short as possible.

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
        # JAX reports the start of a stage, too, by an event with the name of the event for the stage's duration.
        if event in _STAGE_EVENTS:
            try:
                name = (self._plain.get(fun_name) if type(fun_name) is str else None) or self._plain_name(fun_name)
                self._receiver.stage_started(event, name)
            except RecursionError:
                self.overflowed = True
            except not_of_a_signal(Exception) as error:
                self.fail(error)

    def _plain_name(self, name: Any) -> str | None:
        """Return the plain name of a function, f: after the trace, JAX's events call it jit(f).

        Names are cached, because parsing them takes half of this package's time after a compile.
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
    """Return JAX's local variables with the exception that ended a stage; None if no exception did.

    `frame` is the frame that called the listener.
    """
    leaving = frame.f_back
    if leaving is None or leaving.f_locals.get("exc_type") is None:
        return None
    return leaving.f_locals
