"""Python's audit events that a trace of ours refuses: what the Python of a call would do outside of the process.

Python raises an audit event before it writes to a file, opens a connection or starts a process.
"""

from __future__ import annotations

import os
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_EVENTS = {
    "os.remove": "removes a file",
    "os.rename": "renames a file",
    "os.mkdir": "creates a folder",
    "os.rmdir": "removes a folder",
    "os.truncate": "truncates a file",
    "os.link": "creates a file link on the disk",
    "os.symlink": "creates a file link on the disk",
    "os.chmod": "changes the permissions of a file",
    "os.chown": "changes the owner of a file",
    "os.utime": "changes the times of a file",
    "os.putenv": "sets an environment variable",
    "os.unsetenv": "removes an environment variable",
    "os.system": "starts a process",
    "os.exec": "starts a process",
    "os.fork": "starts a process",
    "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a process",
    "os.spawn": "starts a process",
    "os.kill": "sends a signal to a process",
    "subprocess.Popen": "starts a process",
    "socket.connect": "opens a network connection",
    "socket.bind": "opens a network socket",
    "socket.sendto": "sends data over a network connection",
    "socket.sendmsg": "sends data over a network connection",
    "sqlite3.connect": "opens a database",
    "builtins.input": "asks the user for input",
    "webbrowser.open": "opens a web browser",
}


def refused_event(event: str, facts: tuple[Any, ...]) -> str | None:
    """Return the effect of an audit event as a phrase such as `removes a file`; None for an allowed event.

    Args:
        event: The name of the event.
        facts: The arguments of the event.
    """
    return _opens_to_write(facts) if event == "open" else _EVENTS.get(event)


def _opens_to_write(facts: tuple[Any, ...]) -> str | None:
    path, mode, flags = facts
    if path == os.devnull:
        return None
    writes = any(letter in mode for letter in "wax+") if isinstance(mode, str) else bool((flags or 0) & _WRITING)
    return "writes to a file" if writes else None
