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

_lock = threading.Lock()
#: How often each thread is within `unheard`.
_threads: dict[int, int] = {}
_LISTENERS = (
    "_event_listeners",
    "_event_duration_secs_listeners",
    "_event_time_span_listeners",
    "_scalar_listeners",
)


class _OtherThreads(list[Any]):
    """The listeners to one kind of event: empty for each thread within `unheard`.

    Two threads may be within `unheard` at once, and leave in any order: there is one such list for all of them.
    """

    def __init__(self, listeners: list[Any]) -> None:
        super().__init__(listeners)
        self.before = listeners

    def __iter__(self) -> Iterator[Any]:
        return iter(()) if threading.get_ident() in _threads else super().__iter__()

    def put_back(self) -> list[Any]:
        """Return the list of before; the user may have added, removed or cleared listeners meanwhile."""
        self.before[:] = self[:]
        return self.before


class _OfThread:
    """A filter of log records that drops the records of the thread that made the filter."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def filter(self, record: logging.LogRecord) -> bool:
        return threading.get_ident() != self._thread


@contextmanager
def unheard() -> Iterator[None]:
    """Tell no listener of JAX's events and no log of JAX about this thread's work in JAX."""
    thread = threading.get_ident()
    drops = _OfThread()
    with _lock:
        if not _threads:
            monitoring = private("monitoring")
            for name in _LISTENERS:
                setattr(monitoring, name, _OtherThreads(getattr(monitoring, name)))
        _threads[thread] = _threads.get(thread, 0) + 1
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
        with _lock:
            for logger in loggers:
                logger.filters = [each for each in logger.filters if each is not drops]
            _threads[thread] -= 1
            if not _threads[thread]:
                del _threads[thread]
            if not _threads:
                monitoring = private("monitoring")
                for name in _LISTENERS:
                    listeners = getattr(monitoring, name)
                    if type(listeners) is _OtherThreads:  # otherwise other code set a list of its own
                        setattr(monitoring, name, listeners.put_back())
