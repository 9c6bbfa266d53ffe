"""Records what a function prints to the standard output while JAX traces it.

While JAX traces a user's function, the object `sys.stdout` has an attribute `write` that records the text and passes
the text on. The stream object is not replaced, and the text is printed as usual.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import Limit, exact
from ..observation import Place, Printed
from ..user_or_library.users_line_of_call import user_place

KEEP_CHARACTERS = Limit.PRINTED

_WRITE = "write"
_FRAMES_OF_A_WRITE = 40


class _Tap:
    """Replaces the `write` method of a stream once for all recorders, which may run on several threads.

    Recorders start and stop independently. If each recorder replaced `write` itself, the last one to stop could restore
    the `write` of a recorder that has already stopped.
    """

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.recorders: tuple[PrintRecorder, ...] = ()
        # IPython itself replaces the `write` of the stream to capture the output of cells; its version must be
        # restored.
        self._before = vars(stream).get("write")
        passed_on = stream.write

        def write(text: str, *arguments: Any) -> Any:
            written = 0
            try:
                for recorder in reversed(self.recorders):
                    if recorder.thread != threading.get_ident():
                        continue
                    written = len(text)
                    try:
                        recorder._record(text)
                    except RecursionError:
                        recorder._origin = None
                    # a failure to record must not prevent the text from being printed
                    except not_of_a_signal(Exception):
                        recorder._origin = None
                    if recorder.swallows:
                        return written
                return passed_on(text, *arguments)
            except RecursionError as error:
                # If the stack is full, the user's code raises a RecursionError at its next call anyway, without a frame
                # of this package in the traceback. So this error is dropped.
                inner, depth = error.__traceback__, 0
                while inner is not None:
                    inner, depth = inner.tb_next, depth + 1
                # The traceback has more frames than this package's code adds: the stream itself raised the error.
                if depth > _FRAMES_OF_A_WRITE:
                    raise
                return written

        self._write = write
        setattr(stream, _WRITE, write)

    @property
    def is_on_top(self) -> bool:
        """True if `write` of the stream is still the function that this recorder installed."""
        return vars(self.stream).get("write") is self._write

    def take_out(self) -> None:
        """Restore the earlier `write` of the stream, unless other code has replaced this recorder's `write`."""
        if self.is_on_top:
            if self._before is None:
                del self.stream.write
            else:
                self.stream.write = self._before


_taps: list[_Tap] = []
_changing = threading.RLock()


class PrintRecorder:
    """Records the text that one thread writes to the standard output between `start` and `stop`.

    Args:
        function: returns the name of the function that JAX traces.
        swallow: True to suppress the output, as in an own trace.
    """

    def __init__(self, function: Callable[[], str], swallow: bool = False) -> None:
        self.printed: list[Printed] = []
        self.swallows = swallow
        self.thread = 0
        self._function = function
        self._tap: _Tap | None = None
        self._characters = 0
        self._pieces: list[str] = []
        self._origin: tuple[str, Place | None] | None = None

    def start(self) -> None:
        """Start recording; do nothing if the stream's `write` cannot be replaced."""
        stream = sys.stdout
        if self._tap is not None or stream is None:
            return
        self.thread = threading.get_ident()
        with _changing:
            tap = next((tap for tap in _taps if tap.stream is stream and tap.is_on_top), None)
            if tap is None:
                try:
                    tap = _Tap(stream)
                except (AttributeError, TypeError):
                    return
                _taps.append(tap)
            tap.recorders = (*tap.recorders, self)
            self._tap = tap

    def stop(self) -> None:
        """Stop recording; the last recorder of a stream restores the stream's earlier `write`."""
        tap, self._tap = self._tap, None
        if tap is not None:
            with _changing:
                tap.recorders = tuple(recorder for recorder in tap.recorders if recorder is not self)
                if not tap.recorders:
                    _taps.remove(tap)
                    tap.take_out()
        if self._pieces:
            self._finish()
        self._origin = None

    def _record(self, text: str) -> None:
        if self._characters > KEEP_CHARACTERS:
            return
        text = exact(text, KEEP_CHARACTERS)
        self._characters += len(text)
        origin = (self._function(), user_place(sys._getframe(2)))
        if origin != self._origin:
            self._finish()
            self._origin = origin
        self._pieces.append(text)
        # `print` writes the text and the line end in two calls; the line end completes a record
        if text.endswith("\n"):
            self._finish()

    def _finish(self) -> None:
        text = "".join(self._pieces)
        if text.strip() and self._origin is not None:
            self.printed.append(Printed(self._origin[0], text.removesuffix("\n"), self._origin[1]))
        self._pieces.clear()
        self._origin = None
