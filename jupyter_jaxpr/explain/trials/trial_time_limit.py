"""Ends the trial of a cure that takes too long. For example, a static `n` may unroll a loop of a million iterations.

A trace function of Python (sys.settrace) checks the time at each call, and at each line of the user's functions. If a
debugger or a coverage tool has already set a trace function, there is no trial. The limit counts the CPU time of the
thread, so that a busy machine does not shorten the trial; by the wall clock, the trial may take three times as long.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType, FrameType
from typing import Any

from ...observe.user_or_library.whose_code import is_installed
from ...plain_text import file_of

#: The time limit in seconds for all trials of one request of the panel.
SECONDS = 1.0
#: The time limit in seconds for all trials when a cell raises an error: the user waits for the traceback.
SECONDS_AT_ERROR = 0.1
_BY_THE_CLOCK = 3.0
#: Inside of libraries, the limit is longer by this many seconds. An exception there may be raised in a callback of a
#: weak reference of JAX: Python would drop the exception, and JAX would not finish the callback.
_MORE_IN_LIBRARIES = 0.2


class TooLong(BaseException):
    """Raised when a trial has no time left.

    It is a BaseException, so `except Exception` in the traced code does not catch it.
    """


class Budget:
    """The time left for the trials of one error or one request.

    Attributes:
        was_short: True if the time ran out before or during a trial.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._left = SECONDS if seconds is None else seconds
        self._left_by_the_clock = self._left * _BY_THE_CLOCK
        self.was_short = False

    @property
    def is_over(self) -> bool:
        """True if no time is left."""
        return min(self._left, self._left_by_the_clock) <= 0

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Raise TooLong in the block when the time is over.

        Raises:
            TooLong: The time is over, or another tool traces this thread.
        """
        self.was_short = self.was_short or self.is_over
        if sys.gettrace() is not None or self.is_over:
            raise TooLong
        began, began_by_the_clock = time.thread_time(), time.perf_counter()
        is_users: dict[CodeType, bool] = {}

        def look(frame: FrameType, event: str, argument: Any) -> Any:
            code = frame.f_code
            if code not in is_users:
                is_users[code] = not is_installed(file_of(code))
            over = max(
                time.thread_time() - began - self._left,
                time.perf_counter() - began_by_the_clock - self._left_by_the_clock,
            )
            if over > (0 if is_users[code] else _MORE_IN_LIBRARIES):
                self.was_short = True
                raise TooLong
            return look if is_users[code] else None

        sys.settrace(look)
        try:
            yield
        finally:
            sys.settrace(None)
            self._left -= time.thread_time() - began
            self._left_by_the_clock -= time.perf_counter() - began_by_the_clock


_of_error: ContextVar[Budget | None] = ContextVar("_of_error", default=None)


@contextmanager
def error_budget(budget: Budget | None) -> Iterator[None]:
    """Give all trials in the `with` block one budget. None stands for a new budget of `SECONDS_AT_ERROR`."""
    token = _of_error.set(budget or Budget(SECONDS_AT_ERROR))
    try:
        yield
    finally:
        _of_error.reset(token)


def left_for_error() -> Budget:
    """Return the budget that `error_budget` set; outside of its block, a new one."""
    return _of_error.get() or Budget(SECONDS_AT_ERROR)
