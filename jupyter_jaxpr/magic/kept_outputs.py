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

WHOLE = 8
_TEXT = "text/plain"


class KeptOutputs:
    """The outputs of ours that a shell keeps whole, oldest first."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._whole: deque[Any] = deque()

    def shown(self) -> None:
        """An output of ours was displayed just now."""
        output = self._newest()
        if output is None or any(output is each for each in self._whole):
            return
        self._whole.append(output)
        while len(self._whole) > WHOLE:
            old = self._whole.popleft()
            old.bundle = {_TEXT: old.bundle[_TEXT]} if _TEXT in old.bundle else {}

    def forget(self) -> None:
        """Follow the outputs no longer; they stay as they are."""
        self._whole.clear()

    def _newest(self) -> Any:
        """The newest output of ours that IPython keeps; None where there is none, or where it was captured."""
        kept = getattr(self._shell.history_manager, "outputs", None)
        if not isinstance(kept, dict):
            return None
        now = self._shell.execution_count
        for count in (now, now - 1, now - 2):  # by the time that it is displayed the next cell's number may be there
            for output in reversed(kept.get(count, ())):
                if MIME_TYPE in (getattr(output, "bundle", None) or ()):
                    return output
        return None
