"""Hides what JAX does on one thread from the user's listeners to JAX's events, and from JAX's log.

Events of other threads are reported as usual, because a cell may run meanwhile. Several threads may be hidden at once:
JAX's lists of listeners stay changed as long as one thread is hidden. Each step of the change can be repeated safely,
because an exception that stops the thread (an interrupt, the end of a time limit) may come between any two steps.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .facts import private

_LISTS = ("_event_listeners", "_event_duration_secs_listeners", "_event_time_span_listeners", "_scalar_listeners")


class _Unheard:
    """The mark that a thread is inside of a block of `unheard`."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()


_blocks: list[_Unheard] = []
_lock = threading.RLock()  # reentrant: a signal handler that stops a thread may run while this thread holds the lock


def _is_heard() -> bool:
    """Return whether the present thread is in no block of `unheard`."""
    thread = threading.get_ident()
    return all(block.thread != thread for block in _blocks)


class _OtherThreads(list[Any]):
    """A list of listeners that appears empty to a thread inside of `unheard`."""

    def __init__(self, listeners: list[Any]) -> None:
        super().__init__(listeners)
        self.replaced = listeners

    def __iter__(self) -> Iterator[Any]:
        return super().__iter__() if _is_heard() else iter(())

    def all(self) -> list[Any]:
        return self[:]


class _OfOtherThreads:
    """A log filter that drops the records of threads inside of `unheard`."""

    def filter(self, record: logging.LogRecord) -> bool:
        return _is_heard()


_FILTER = _OfOtherThreads()


@contextmanager
def unheard() -> Iterator[None]:
    """Hide what JAX does on this thread, within the block, from all listeners to JAX's events and from JAX's log."""
    block = _Unheard()
    try:
        with _lock:
            _blocks.append(block)
            _settle()
        yield
    finally:
        try:
            _leave(block)
        except BaseException:
            _leave(block)
            raise


def _leave(block: _Unheard) -> None:
    with _lock:
        _blocks[:] = [active_block for active_block in _blocks if active_block is not block]
        _settle()


def _settle() -> None:
    """Set JAX's lists of listeners and its loggers as needed for the threads that are in `unheard` at present."""
    monitoring = private("monitoring")
    for name in _LISTS:
        listeners = getattr(monitoring, name)
        if _blocks and type(listeners) is not _OtherThreads:
            setattr(monitoring, name, _OtherThreads(listeners))
        elif not _blocks and type(listeners) is _OtherThreads:
            # The user may have added or removed listeners, and another thread may be adding one.
            registered = listeners.all()
            listeners.replaced[:] = registered
            setattr(monitoring, name, listeners.replaced)
            listeners.replaced.extend(listeners.all()[len(registered) :])
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger) and name.partition(".")[0] == "jax":
            # A new list is assigned, because another thread may be iterating over the old one.
            users_filters = [log_filter for log_filter in logger.filters if log_filter is not _FILTER]
            if len(users_filters) == len(logger.filters) if _blocks else len(users_filters) < len(logger.filters):
                logger.filters = [*users_filters, _FILTER] if _blocks else users_filters
