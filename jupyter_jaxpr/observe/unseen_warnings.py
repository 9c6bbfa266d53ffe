"""Silences the warnings of this thread; the warnings of other threads are shown as usual.

`warnings.catch_warnings` changes the filters of the whole process: on a thread beside the one that runs cells it would
hide warnings of the user's, and its end may bring back filters that the user has changed meanwhile.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _OfThread:
    """Replaces the pattern of a filter: matches all messages of one thread until `end`."""

    def __init__(self) -> None:
        self._thread: int | None = threading.get_ident()

    def match(self, message: object) -> bool:
        """Return whether the warning comes from the thread; Python calls this on the thread that warns."""
        return self._thread == threading.get_ident()

    def end(self) -> None:
        """Match no further message: a copy of the filters may keep this object alive."""
        self._thread = None


@contextmanager
def unseen_warnings() -> Iterator[None]:
    """Ignore the warnings of this thread, and leave no trace in the warning registries of modules."""
    of_thread = _OfThread()
    entry: Any = ("ignore", of_thread, Warning, None, 0)
    filters: Any = warnings.filters
    filters.insert(0, entry)
    try:
        yield
    finally:
        of_thread.end()
        current_filters: Any = warnings.filters
        for filter_list in (filters, current_filters):
            for index in [index for index, filter_entry in enumerate(filter_list) if filter_entry is entry]:
                del filter_list[index]
