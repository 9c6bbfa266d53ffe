"""Counts the living objects of the process; the shell or kernel of the long day imports this module."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import sys
import tempfile
import threading
from pathlib import Path
from types import FunctionType
from typing import Any


def rss() -> int:
    """Return the bytes of memory of the process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def given_back() -> None:
    """Let the C library return free memory to the system; free memory between used parts cannot be returned."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def is_of_a_cell(function: FunctionType) -> bool:
    file = function.__code__.co_filename
    return file.startswith("<ipython-input") or "ipykernel_" in file


def alive() -> dict[str, Any]:
    """Return the number of live objects of each kind, after a garbage collection."""
    jax = sys.modules["jax"]
    gc.collect()
    gc.collect()
    client = jax.devices()[0].client
    objects = gc.get_objects()
    functions = sum(type(value) is FunctionType and is_of_a_cell(value) for value in objects)
    count = len(objects)
    del objects
    given_back()
    return {
        "rss": rss(),
        "arrays": len(jax.live_arrays()),
        "executables": len(client.live_executables()),
        "functions": functions,
        "objects": count,
        "comms": len(comms()),
        "threads": threading.active_count(),
        "temporary": len(list(Path(tempfile.gettempdir()).iterdir())),
        "files": len(os.listdir("/proc/self/fd")),
    }


def comms() -> dict[str, Any]:
    import comm

    return dict(getattr(comm.get_comm_manager(), "comms", {}))


def told() -> str:
    return json.dumps(alive())
