"""Ends a trial that takes too long: a static `n` may unroll a loop of a million iterations.

Python's trace function looks at the clock at each call, and at each line of the user's functions. A debugger or a tool
for coverage that traces already is not disturbed: then there is no trial.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from ...observe.functions import is_installed
from ...plain_text import file_of

#: Of one trial.
SECONDS = 1.0
#: Of one trial of a cell that goes on: the trial is a part of the time that the cell takes.
IN_CELL = 0.1


class TooLong(BaseException):
    """A trial was ended, or not begun; no `except Exception` of the traced code takes it."""


@contextmanager
def limited(in_cell: bool = False) -> Iterator[None]:
    """End what runs in the block after `SECONDS`.

    Args:
        in_cell: A cell waits for the trial: end it after `IN_CELL` seconds.

    Raises:
        TooLong: The time is over, or another tool traces this thread.
    """
    if sys.gettrace() is not None:
        raise TooLong
    until = time.perf_counter() + (IN_CELL if in_cell else SECONDS)
    is_users: dict[CodeType, bool] = {}

    def look(frame: FrameType, event: str, argument: Any) -> Any:
        if time.perf_counter() > until:
            raise TooLong
        code = frame.f_code
        if code not in is_users:
            is_users[code] = not is_installed(file_of(code))
        return look if is_users[code] else None

    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(None)
