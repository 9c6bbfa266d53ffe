"""Lists the audit events of Python that stop an own trace, because they announce an effect outside of the process.

Python raises an audit event before it writes to a file, opens a connection or starts a process.
"""

from __future__ import annotations

import os
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LINK = "{line_of_side_effect} creates a file link on the disk."
_SENT = "{line_of_side_effect} sends data over a network connection."
_EVENTS = {
    "os.remove": "{line_of_side_effect} removes a file.",
    "os.rename": "{line_of_side_effect} renames a file.",
    "os.mkdir": "{line_of_side_effect} creates a folder.",
    "os.rmdir": "{line_of_side_effect} removes a folder.",
    "os.truncate": "{line_of_side_effect} truncates a file.",
    "os.link": _LINK,
    "os.symlink": _LINK,
    "os.chmod": "{line_of_side_effect} changes the permissions of a file.",
    "os.chown": "{line_of_side_effect} changes the owner of a file.",
    "os.utime": "{line_of_side_effect} changes the times of a file.",
    "os.putenv": "{line_of_side_effect} sets an environment variable.",
    "os.unsetenv": "{line_of_side_effect} removes an environment variable.",
    "os.system": "{line_of_side_effect} starts a process.",
    "os.exec": "{line_of_side_effect} starts a process.",
    "os.fork": "{line_of_side_effect} starts a process.",
    "os.forkpty": "{line_of_side_effect} starts a process.",
    "os.posix_spawn": "{line_of_side_effect} starts a process.",
    "os.spawn": "{line_of_side_effect} starts a process.",
    "os.kill": "{line_of_side_effect} sends a signal to a process.",
    "subprocess.Popen": "{line_of_side_effect} starts a process.",
    "socket.connect": "{line_of_side_effect} opens a network connection.",
    "socket.bind": "{line_of_side_effect} binds a network socket to an address.",
    "socket.sendto": _SENT,
    "socket.sendmsg": _SENT,
    "sqlite3.connect": "{line_of_side_effect} opens a database.",
    "builtins.input": "{line_of_side_effect} asks the user for input.",
    "webbrowser.open": "{line_of_side_effect} opens a web browser.",
}


def refused_event(event: str, facts: tuple[Any, ...]) -> str | None:
    """Return the sentence of a forbidden audit event, such as `{line_of_side_effect} removes a file.`.

    None for an allowed event.

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
    return "{line_of_side_effect} writes to a file." if writes else None
