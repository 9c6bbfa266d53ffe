"""Tells requests that are not about a run what a session knows of its kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from .long_requests import Worker

if TYPE_CHECKING:
    from ..program.source.positions import CellText


class Cells(Protocol):
    """What runs in a kernel."""

    def may_trace(self, cell_id: str) -> bool:
        """Whether the user ran this cell, or `%load_ext`, in this kernel."""

    def is_measuring(self) -> bool:
        """Whether a cell runs whose times a trace beside it would change, or whose calls are recorded."""

    def known_cells(self) -> Mapping[str, CellText]:
        """The cells that ran, by the file name that their code carries."""


class Kernel:
    """What a kernel does now.

    Attributes:
        cells: Of the session; None where there is none.
        page_saves_values: The setting of the page that told it last.
    """

    def __init__(self, worker: Worker) -> None:
        self.cells: Cells | None = None
        self.page_saves_values = True
        self._worker = worker

    @property
    def is_measuring(self) -> bool:
        """Whether a trace would change the times that something measures now."""
        return self._worker.is_busy or (self.cells is not None and self.cells.is_measuring())
