"""Shrinks the outputs of observed cells that IPython keeps, which would fill the memory over a day.

IPython 9 keeps what each cell displays, for `%notebook`; a notebook's kernel does so only where it is asked to. Of the
last runs IPython has the whole output, of older ones the lines of text.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ..exports.bundle import MIME_TYPE

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

WHOLE = 2
_TEXT = "text/plain"


class KeptOutputs:
    """The outputs of this package that a shell keeps whole, oldest first."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._full_outputs: deque[Any] = deque()

    def note_output(self) -> None:
        """Record that an output of this package was just displayed."""
        output = self._newest()
        if output is None or any(output is full_output for full_output in self._full_outputs):
            return
        self._full_outputs.append(output)
        while len(self._full_outputs) > WHOLE:
            old = self._full_outputs.popleft()
            old.bundle = {_TEXT: old.bundle[_TEXT]} if _TEXT in old.bundle else {}

    def forget(self) -> None:
        """Stop following the outputs, which stay unchanged."""
        self._full_outputs.clear()

    def _newest(self) -> Any:
        """Return the newest output of this package that IPython keeps; None without one, or for a captured output."""
        outputs = getattr(self._shell.history_manager, "outputs", None)
        if not isinstance(outputs, dict):
            return None
        newest_count = self._shell.execution_count
        for count in (
            newest_count,
            newest_count - 1,
            newest_count - 2,
        ):  # when the output is displayed, the count may already be the next cell's
            for output in reversed(outputs.get(count, ())):
                if MIME_TYPE in (getattr(output, "bundle", None) or ()):
                    return output
        return None
