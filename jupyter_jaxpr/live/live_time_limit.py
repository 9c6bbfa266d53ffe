"""Stops code that takes too long, by raising an exception in the thread that runs it.

The exception is raised while user code runs, so that no code of JAX is interrupted half way; a library function that
does not return within another half second is interrupted, too. A call into C that holds Python's global lock cannot be
stopped.
"""

from __future__ import annotations

import _thread
import ctypes
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..interruptions import TraceStopped
from ..observe.user_or_library.whose_code import is_installed
from ..plain_text import file_of

SECONDS = 2.0
_MORE_IN_LIBRARIES = 0.5
_LOOKS_EVERY = 0.001
_AGAIN_AFTER = 0.05


class TookTooLong(TraceStopped):
    """Raised in the code whose time limit is over."""


@contextmanager
def time_limit(seconds: float = SECONDS) -> Iterator[TimeLimit]:
    """Raise `TookTooLong` in a `with` block that takes longer than `seconds`; the block may end the limit earlier."""
    watch = TimeLimit(threading.get_ident(), seconds)
    watch.start()
    try:
        yield watch
    finally:
        watch.end()


class TimeLimit:
    """Stops the code of a thread that takes too long.

    A thread of its own waits for the end of the limit. `threading.Thread` would wait until this thread runs: while a
    cell computes, this takes several switches between threads, each of five milliseconds.
    """

    def __init__(self, watched: int, seconds: float) -> None:
        self._watched = watched
        self._seconds = seconds
        self._over = threading.Event()
        # the lock is reentrant: `TookTooLong` may be raised in the code while the code holds the lock
        self._lock = threading.RLock()
        self._raised = False

    def start(self) -> None:
        """Begin to measure the time."""
        _thread.start_new_thread(self._wait, ())

    def _wait(self) -> None:
        """Wait until the time limit is over, then raise `TookTooLong` in the watched thread."""
        if self._over.wait(self._seconds):
            return
        until = time.monotonic() + _MORE_IN_LIBRARIES
        while not self._over.is_set():
            with self._lock:
                if self._over.is_set():
                    return
                if time.monotonic() > until or self._is_in_users_code():
                    self._raised = True
                    _raise_in(self._watched)
            # The user's code may catch the exception, so it is raised again and again until the code has ended.
            self._over.wait(_AGAIN_AFTER if self._raised else _LOOKS_EVERY)

    def end(self) -> None:
        """End the limit. An exception that was requested but not raised yet is raised here and caught.

        The request is not cancelled (`PyThreadState_SetAsyncExc` with NULL), because this leaves a flag set in Python
        3.11 that makes every function under `sys.settrace` hang (measured with 3.11.7).
        """
        while True:
            try:
                with self._lock:
                    self._over.set()
                if self._raised:
                    _raise_in(self._watched)
                    while True:
                        pass
                return
            except TookTooLong:
                if self._over.is_set():
                    return

    def _is_in_users_code(self) -> bool:
        frame = sys._current_frames().get(self._watched)
        return frame is not None and not is_installed(file_of(frame.f_code))


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TookTooLong))
