"""Keeps the texts in `linecache` that were never files, such as a text that the user's code ran with `exec`."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def text_kept(file: str) -> Iterator[None]:
    """Put the entry of a file back that `linecache.checkcache` or `inspect` removes in the block.

    Python removes an entry with a time of change where no such file exists. The entry may be the user's only copy of
    the text.
    """
    entry = linecache.cache.get(file)
    try:
        yield
    finally:
        if entry is not None and file not in linecache.cache:
            linecache.cache[file] = entry
