"""Silences the warnings of one thread; the warnings of other threads are shown as usual.

`warnings.catch_warnings` changes the filters of the whole process: on a second thread it would hide warnings of the
user's cell, and at its end it could undo changes that the user made to the filters.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _OfThread:
    """Stands for the message pattern in a warning filter, and matches every message of one thread until `end`."""

    def __init__(self) -> None:
        self._thread: int | None = threading.get_ident()

    def match(self, message: object) -> bool:
        """Return whether the warning comes from the silenced thread.

        Python calls this method on the thread that warns.
        """
        return self._thread == threading.get_ident()

    def end(self) -> None:
        """Match no more messages; needed because a copy of the filters may keep this object alive."""
        self._thread = None


@contextmanager
def silenced_warnings() -> Iterator[None]:
    """Silence this thread's warnings within the block.

    Python does not record the silenced warnings as shown, so later ones are shown as usual.
    """
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
