"""Keeps entries of `linecache` whose source text was never a file, such as code that the user ran with `exec`."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def text_kept(file: str) -> Iterator[None]:
    """Restore the `linecache` entry of `file` after the block, if Python removed the entry within the block.

    `linecache.checkcache` and `inspect` remove an entry that has a modification time if its file does not exist. The
    entry may be the only copy of the user's source text.
    """
    entry = linecache.cache.get(file)
    try:
        yield
    finally:
        if entry is not None and file not in linecache.cache:
            linecache.cache[file] = entry
