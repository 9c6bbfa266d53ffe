"""Declares what requests may ask about the kernel, as far as they are not about a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from .queue_of_long_requests import Worker

if TYPE_CHECKING:
    from ..program.source.positions import CellText


class Cells(Protocol):
    """What a cell observer knows about the cells of its kernel: which cell runs, and which cells ran."""

    def may_trace(self, cell_id: str) -> bool:
        """Return whether the user ran this cell, or `%load_ext`, in this kernel."""

    def is_measuring(self) -> bool:
        """Return whether the running cell is timed or recorded, which a trace at the same time would disturb."""

    def known_cells(self) -> Mapping[str, CellText]:
        """Return {`co_filename` of a cell's code: the cell} for the cells that ran."""


class Kernel:
    """The present state of a kernel.

    Attributes:
        cells: The cells of the cell observer; None if there is none.
        page_saves_values: The setting on saved values, from the page that sent it last.
    """

    def __init__(self, worker: Worker) -> None:
        self.cells: Cells | None = None
        self.page_saves_values = True
        self._worker = worker

    @property
    def is_measuring(self) -> bool:
        """True if a trace would disturb a timing or a recording that is running."""
        return self._worker.is_busy or (self.cells is not None and self.cells.is_measuring())
