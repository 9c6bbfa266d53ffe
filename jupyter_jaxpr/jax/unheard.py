"""Keeps JAX's work of one thread out of the user's listeners to JAX's events, and out of JAX's log.

Other threads are heard as usual: a cell may run meanwhile.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .facts import private


class _OtherThreads(list[Any]):
    """The listeners to one kind of event: empty for the thread that made the list."""

    def __init__(self, listeners: list[Any]) -> None:
        super().__init__(listeners)
        self._thread = threading.get_ident()

    def __iter__(self) -> Iterator[Any]:
        return iter(()) if threading.get_ident() == self._thread else super().__iter__()

    def all(self) -> list[Any]:
        return self[:]


class _OfThread:
    """A filter of log records that drops the records of the thread that made the filter."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def filter(self, record: logging.LogRecord) -> bool:
        return threading.get_ident() != self._thread


@contextmanager
def unheard() -> Iterator[None]:
    """Tell no listener of JAX's events and no log of JAX about this thread's work in JAX."""
    monitoring = private("monitoring")
    listeners = (
        monitoring._event_listeners,
        monitoring._event_duration_secs_listeners,
        monitoring._event_time_span_listeners,
        monitoring._scalar_listeners,
    )
    others = tuple(map(_OtherThreads, listeners))
    monitoring._event_listeners = others[0]
    monitoring._event_duration_secs_listeners = others[1]
    monitoring._event_time_span_listeners = others[2]
    monitoring._scalar_listeners = others[3]
    drops = _OfThread()
    # A new list each time: another thread may go through the old list now.
    loggers = [
        logger
        for name, logger in list(logging.root.manager.loggerDict.items())
        if isinstance(logger, logging.Logger) and name.partition(".")[0] == "jax"
    ]
    for logger in loggers:
        logger.filters = [*logger.filters, drops]
    try:
        yield
    finally:
        # The user may have added, removed or cleared listeners meanwhile.
        for before, now in zip(listeners, others, strict=True):
            before[:] = now.all()
        if monitoring._event_listeners is others[0]:
            monitoring._event_listeners = listeners[0]
        if monitoring._event_duration_secs_listeners is others[1]:
            monitoring._event_duration_secs_listeners = listeners[1]
        if monitoring._event_time_span_listeners is others[2]:
            monitoring._event_time_span_listeners = listeners[2]
        if monitoring._scalar_listeners is others[3]:
            monitoring._scalar_listeners = listeners[3]
        for logger in loggers:
            logger.filters = [each for each in logger.filters if each is not drops]
