"""The one observer of this process: hooks are process-wide, and so is the memory of what missed."""

from __future__ import annotations

import functools

from .observer import Observer


@functools.cache
def observer() -> Observer:
    """Return the observer of this process; making the observer installs no hook."""
    return Observer()
