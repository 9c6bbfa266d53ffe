"""Records what JAX runs for a cell outside of jit.

The first operations of each cell are recorded. The panel shows them if the cell has no jitted function and no call in
its last statement, such as a cell with a Python loop. A whole cell is recorded if the user asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ...jax.constructs_outside_jit import composed_in
from ...jax.facts import imported
from ...jax.hooks import Hooks
from ...plain_text import file_of
from ...quantities import count, duration
from ..observation import ObservedFunction, ObservedProgram
from ..user_or_library.whose_code import is_installed
from . import recording_limits
from .dispatch_recording import Recording
from .sentences_on_recordings import COMPOSED, HOW, MORE_BY_EAGER, NO_TEXT, NO_VALUES, OF_CELL, TOOK

_FOREVER = float("inf")


def _is_jitted_by_user(fun: Any) -> bool:
    return type(fun) is FunctionType and not is_installed(file_of(fun.__code__))


class RecordedCell:
    """Records a cell while it runs.

    Args:
        hooks: The hooks in JAX.
        fail: Receives an error of this package.
        covers_cell: True to record every dispatch, which makes the cell up to 20 times slower.

    Attributes:
        recording: The recording of the cell.
    """

    def __init__(self, hooks: Hooks, fail: Callable[[BaseException], None], covers_cell: bool) -> None:
        self.covers_cell = covers_cell
        self._fail = fail
        # A function that the user jitted has a program of its own, so the recording of the cell leaves out its calls.
        limits = (
            (recording_limits.CELL_DISPATCHES, _FOREVER)
            if covers_cell
            else (
                recording_limits.FIRST_DISPATCHES,
                recording_limits.FIRST_SECONDS,
                _is_jitted_by_user,
            )
        )
        self.recording = Recording(hooks, fail, *limits)
        self._is_over = False
        self._is_checked = False

    def start(self) -> None:
        """Start or continue the recording if JAX is imported; do nothing if the recording runs or has ended."""
        if imported() and not self._is_over and not self.recording.is_over:
            try:
                self._is_checked = not self.recording.start()
            # this version of JAX does not report dispatches: the cell is not recorded
            except AttributeError as error:
                self._fail(error)
                self._is_over = True

    @property
    def is_checked(self) -> bool:
        """True if nothing was recorded because `jax_debug_nans` makes JAX check each result."""
        return self._is_checked or (self.recording.ended is not None and not self.recording.count)

    def pause(self) -> None:
        """Stop the recording until the next `start`."""
        self.recording.stop()

    def stop(self) -> None:
        """End the recording."""
        self._is_over = True
        self.recording.stop()

    def function(self, name: str, message: str | None) -> ObservedFunction | None:
        """Return the cell's dispatches as a function with one program; None if JAX dispatched nothing.

        Args:
            name: The name of the cell.
            message: Further sentences for the note on the program's origin.
        """
        if not self.recording.count:
            return None
        recorded = self.recording.recorded_whole(name)
        note = OF_CELL.format(ran=count(recorded.dispatches, "dispatch", "dispatches"))
        limit_note = MORE_BY_EAGER if self.recording.reached_limit else None
        if self.covers_cell:
            limit_note = TOOK.format(took=duration(self.recording.spent))
        composed = " ".join(COMPOSED.format(name=name) for name in composed_in(recorded.program))
        program = ObservedProgram(
            origin="recorded",
            no_text=NO_TEXT,
            no_values=NO_VALUES,
            jaxpr=recorded.program,
            numbers=recorded.numbers,
            origin_note=" ".join(filter(None, (note, composed, recorded.ended, recorded.unread, limit_note, message))),
            how=HOW,
            input_names=("",) * recorded.others,
        )
        return ObservedFunction(name=name, definition=None, programs=[program])
