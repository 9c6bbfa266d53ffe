"""Lists the audit events of Python that stop an own trace, because they announce an effect outside of the process.

Python raises an audit event before it writes to a file, opens a connection or starts a process.
"""

from __future__ import annotations

import os
from typing import Any

from . import sentences_on_side_effects as texts

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_EVENTS = {
    "os.remove": texts.REMOVES_FILE,
    "os.rename": texts.RENAMES_FILE,
    "os.mkdir": texts.CREATES_FOLDER,
    "os.rmdir": texts.REMOVES_FOLDER,
    "os.truncate": texts.TRUNCATES_FILE,
    "os.link": texts.CREATES_LINK,
    "os.symlink": texts.CREATES_LINK,
    "os.chmod": texts.CHANGES_PERMISSIONS,
    "os.chown": texts.CHANGES_OWNER,
    "os.utime": texts.CHANGES_TIMES,
    "os.putenv": texts.SETS_ENVIRONMENT,
    "os.unsetenv": texts.REMOVES_ENVIRONMENT,
    "os.system": texts.STARTS_PROCESS,
    "os.exec": texts.STARTS_PROCESS,
    "os.fork": texts.STARTS_PROCESS,
    "os.forkpty": texts.STARTS_PROCESS,
    "os.posix_spawn": texts.STARTS_PROCESS,
    "os.spawn": texts.STARTS_PROCESS,
    "os.kill": texts.SENDS_SIGNAL,
    "subprocess.Popen": texts.STARTS_PROCESS,
    "socket.connect": texts.OPENS_CONNECTION,
    "socket.bind": texts.BINDS_SOCKET,
    "socket.sendto": texts.SENDS_DATA,
    "socket.sendmsg": texts.SENDS_DATA,
    "sqlite3.connect": texts.OPENS_DATABASE,
    "builtins.input": texts.ASKS_FOR_INPUT,
    "webbrowser.open": texts.OPENS_BROWSER,
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
    return texts.WRITES_TO_FILE if writes else None
