"""Shrinks outputs of observed cells in IPython's history, which would otherwise fill the memory over a day.

IPython 9 stores the outputs of each cell, for `%notebook` (in a notebook's kernel only if configured). For the last
runs the complete output stays there; for older runs only the lines of plain text.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ..exports.parts_of_saved_output import MIME_TYPE

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

WHOLE = 2
_TEXT = "text/plain"


class KeptOutputs:
    """The outputs of this package that IPython stores completely, oldest first."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._full_outputs: deque[Any] = deque()

    def note_output(self) -> None:
        """Record that this package has just displayed an output."""
        output = self._newest()
        if output is None or any(output is full_output for full_output in self._full_outputs):
            return
        self._full_outputs.append(output)
        while len(self._full_outputs) > WHOLE:
            old = self._full_outputs.popleft()
            old.bundle = {_TEXT: old.bundle[_TEXT]} if _TEXT in old.bundle else {}

    def forget(self) -> None:
        """Forget the recorded outputs; they stay unchanged in IPython's history."""
        self._full_outputs.clear()

    def _newest(self) -> Any:
        """Return the newest stored output of this package.

        None if IPython stores none, or if the output was captured.
        """
        outputs = getattr(self._shell.history_manager, "outputs", None)
        if not isinstance(outputs, dict):
            return None
        newest_count = self._shell.execution_count
        for count in (
            newest_count,
            newest_count - 1,
            newest_count - 2,
        ):  # the execution count may already be that of the next cell when the output is displayed
            for output in reversed(outputs.get(count, ())):
                if MIME_TYPE in (getattr(output, "bundle", None) or ()):
                    return output
        return None
