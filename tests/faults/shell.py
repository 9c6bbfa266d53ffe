"""Runs a plain IPython shell as a process: reads each cell as a line of JSON, and writes its outputs as one.

python shell.py READ WRITE     two file descriptors; stdout is not used, because faults break it
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


class Kept(io.StringIO):
    """A stream whose text can still be read after a cell has closed the stream."""

    # all streams, so that none is collected during a later cell: Python would drop an alarm that strikes its `close`
    every: list[Kept] = []

    def __init__(self) -> None:
        super().__init__()
        Kept.every.append(self)

    def close(self) -> None:
        self.text = self.getvalue()
        super().close()

    def all(self) -> str:
        return self.text if self.closed else self.getvalue()


def run(shell: InteractiveShell, cell: dict[str, Any]) -> tuple[Any, str | None]:
    """Run a cell; return its value and its error, and cancel an alarm that has not struck yet."""
    try:
        try:
            result = shell.run_cell(cell["code"], store_history=cell["store"])
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException as error:
        return None, f"in IPython: {type(error).__name__}: {error}"
    error = result.error_in_exec or result.error_before_exec
    return result.result, None if error is None else f"{type(error).__name__}: {error}"


def main() -> None:
    config = Config({"HistoryManager": {"hist_file": ":memory:"}, "InteractiveShell": {"colors": "nocolor"}})
    shell = InteractiveShell.instance(config=config)
    requests, replies = os.fdopen(int(sys.argv[1])), os.fdopen(int(sys.argv[2]), "w")
    own_streams = sys.stdout, sys.stderr
    for line in requests:
        cell = json.loads(line)
        streams = Kept(), Kept()
        # If an earlier cell has replaced a stream by its own, that stream stays in use until a cell restores the usual
        # one.
        for name, before, stream in zip(("stdout", "stderr"), own_streams, streams, strict=True):
            if getattr(sys, name) is before:
                setattr(sys, name, stream)
        value, error = run(shell, cell)
        for name, before, stream in zip(("stdout", "stderr"), own_streams, streams, strict=True):
            if getattr(sys, name) is stream:
                setattr(sys, name, before)
        reply = {
            "stdout": streams[0].all(),
            "stderr": streams[1].all(),
            "value": None if value is None else repr(value),
            "error": error,
        }
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
