"""Holds which cells of a shell run or ran, so that the panel's requests can decide whether JAX may trace now."""

from __future__ import annotations

import re
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..observe.outside_jit.dispatch_recording import recording_of
from ..typed.observed_cell import RunningCell
from .cell_states import ActiveCell

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from ..jax.hooks import Hooks

#: The most cells whose text is remembered, so that the panel knows from which cell a line came.
REMEMBERED_CELLS = 1_000
_MEASURES = re.compile(r"^\s*(?:.*=\s*)?%{1,2}(?:time|timeit|prun|mprun|memit|lprun)\b", re.MULTILINE)
_LOADS = re.compile(r"^\s*%(?:load_ext|reload_ext)\s+jupyter_jaxpr\b", re.MULTILINE)


class WhatRuns:
    """The cells that run or ran in a shell. Threads of requests copy the dictionaries before they read them.

    Args:
        shell: The shell.
        hooks: The hooks in JAX.
        cells: `co_filename` of a cell's code -> the cell, for cells that ran.
        running: Thread id -> the outermost running cell.
        active: Thread id -> the observed cell.
    """

    def __init__(
        self,
        shell: InteractiveShell,
        hooks: Hooks,
        cells: Mapping[str, RunningCell],
        running: Mapping[int, RunningCell],
        active: Mapping[int, ActiveCell],
    ) -> None:
        # A weak reference, because the publisher keeps this object and must not keep the shell alive.
        self._shell = weakref.ref(shell)
        self._hooks = hooks
        self._cells = cells
        self._running = running
        self._active = active
        self._is_loaded_by_user = False

    def may_trace(self, cell_id: str) -> bool:
        """Return whether the user ran this cell or `%load_ext` in this kernel.

        A startup file loads the extension for every notebook, so its loading alone allows no trace.
        """
        return self._loaded_by_user() or any(cell.id == cell_id for cell in self.known_cells().values())

    def is_measuring(self) -> bool:
        """Return whether a running cell is being timed or recorded, which a concurrent trace would disturb."""
        if recording_of(self._hooks) is not None or any(map(_is_measured, list(self._active.values()))):
            return True
        return any(_MEASURES.search(cell.source) is not None for cell in list(self._running.values()))

    def known_cells(self) -> dict[str, RunningCell]:
        """Return {`co_filename` of a cell's code: the cell} for the cells that ran."""
        return dict(self._cells)

    def _loaded_by_user(self) -> bool:
        shell = self._shell()
        if not self._is_loaded_by_user and shell is not None:
            history = list(shell.history_manager.input_hist_raw) if shell.history_manager is not None else []
            self._is_loaded_by_user = any(_LOADS.search(text) is not None for text in history)
        return self._is_loaded_by_user


def _is_measured(active: ActiveCell) -> bool:
    options = active.options
    return bool(options.time or options.steps or options.sweep is not None or options.compare or options.eager)
