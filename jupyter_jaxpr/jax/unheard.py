"""Keeps JAX's work of one thread out of the user's listeners to JAX's events, and out of JAX's log.

The observer hears other threads as usual, because a cell may run meanwhile. Several threads may be unheard at once:
JAX's lists stay changed as long as one thread is unheard. Each step of the change may be repeated, because an
exception that stops the thread (an interrupt, the end of a time limit) may come between any two steps.
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
    """A thread in a `with` block of `unheard`."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()


_blocks: list[_Unheard] = []
_lock = threading.RLock()  # a handler that stops a thread may run while the same thread holds the lock


def _is_heard() -> bool:
    """Return whether the thread that asks is in no block."""
    thread = threading.get_ident()
    return all(block.thread != thread for block in _blocks)


class _OtherThreads(list[Any]):
    """The listeners to one kind of event: empty for a thread that is unheard."""

    def __init__(self, listeners: list[Any]) -> None:
        super().__init__(listeners)
        self.replaced = listeners

    def __iter__(self) -> Iterator[Any]:
        return super().__iter__() if _is_heard() else iter(())

    def all(self) -> list[Any]:
        return self[:]


class _OfOtherThreads:
    """A filter of log records that drops the records of a thread that is unheard."""

    def filter(self, record: logging.LogRecord) -> bool:
        return _is_heard()


_FILTER = _OfOtherThreads()


@contextmanager
def unheard() -> Iterator[None]:
    """Tell no listener of JAX's events and no log of JAX about this thread's work in JAX."""
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
    """Have JAX's lists and loggers as they have to be for the threads that are unheard now."""
    monitoring = private("monitoring")
    for name in _LISTS:
        listeners = getattr(monitoring, name)
        if _blocks and type(listeners) is not _OtherThreads:
            setattr(monitoring, name, _OtherThreads(listeners))
        elif not _blocks and type(listeners) is _OtherThreads:
            # The user may have added or removed listeners meanwhile, and another thread may add one now.
            registered = listeners.all()
            listeners.replaced[:] = registered
            setattr(monitoring, name, listeners.replaced)
            listeners.replaced.extend(listeners.all()[len(registered) :])
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger) and name.partition(".")[0] == "jax":
            # A new list each time: another thread may go through the old list now.
            users_filters = [log_filter for log_filter in logger.filters if log_filter is not _FILTER]
            if len(users_filters) == len(logger.filters) if _blocks else len(users_filters) < len(logger.filters):
                logger.filters = [*users_filters, _FILTER] if _blocks else users_filters
