"""Gives requests that are not about a run the facts that a session knows about its kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from .long_requests import Worker

if TYPE_CHECKING:
    from ..program.source.positions import CellText


class Cells(Protocol):
    """The cells of a kernel: which cell runs, and what the session knows about the cells."""

    def may_trace(self, cell_id: str) -> bool:
        """Return whether the user ran this cell, or `%load_ext`, in this kernel."""

    def is_measuring(self) -> bool:
        """Return whether the running cell is timed or recorded; a trace at the same time would change the result."""

    def known_cells(self) -> Mapping[str, CellText]:
        """Return the cells that ran, by the file name that their code carries."""


class Kernel:
    """The present state of a kernel.

    Attributes:
        cells: The cells of the session; None where there is no session.
        page_saves_values: The setting of the page that sent its setting last.
    """

    def __init__(self, worker: Worker) -> None:
        self.cells: Cells | None = None
        self.page_saves_values = True
        self._worker = worker

    @property
    def is_measuring(self) -> bool:
        """True if a trace would change times that are being measured now."""
        return self._worker.is_busy or (self.cells is not None and self.cells.is_measuring())
