"""Lists the audit events of Python that stop an own trace, because they announce an effect outside of the process.

Python raises an audit event before it writes to a file, opens a connection or starts a process.
"""

from __future__ import annotations

import os
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_EVENTS = {
    "os.remove": "{place} removes a file.",
    "os.rename": "{place} renames a file.",
    "os.mkdir": "{place} creates a folder.",
    "os.rmdir": "{place} removes a folder.",
    "os.truncate": "{place} truncates a file.",
    "os.link": "{place} creates a file link on the disk.",
    "os.symlink": "{place} creates a file link on the disk.",
    "os.chmod": "{place} changes the permissions of a file.",
    "os.chown": "{place} changes the owner of a file.",
    "os.utime": "{place} changes the times of a file.",
    "os.putenv": "{place} sets an environment variable.",
    "os.unsetenv": "{place} removes an environment variable.",
    "os.system": "{place} starts a process.",
    "os.exec": "{place} starts a process.",
    "os.fork": "{place} starts a process.",
    "os.forkpty": "{place} starts a process.",
    "os.posix_spawn": "{place} starts a process.",
    "os.spawn": "{place} starts a process.",
    "os.kill": "{place} sends a signal to a process.",
    "subprocess.Popen": "{place} starts a process.",
    "socket.connect": "{place} opens a network connection.",
    "socket.bind": "{place} binds a network socket to an address.",
    "socket.sendto": "{place} sends data over a network connection.",
    "socket.sendmsg": "{place} sends data over a network connection.",
    "sqlite3.connect": "{place} opens a database.",
    "builtins.input": "{place} asks the user for input.",
    "webbrowser.open": "{place} opens a web browser.",
}


def refused_event(event: str, facts: tuple[Any, ...]) -> str | None:
    """Return the sentence of a forbidden audit event, such as `{place} removes a file.`; None for an allowed event.

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
    return "{place} writes to a file." if writes else None
