"""Holds the last runs by id, for later requests of the panel."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..build.document_of_run import Built, Sources
    from ..document.types.document import Snapshot

# A run holds JAX's own programs alive (never arrays): enough for a notebook's recent cells, not for its history.
KEPT = 8


@dataclass(frozen=True)
class Run:
    """A run that requests may name: its latest document and its live sources."""

    document: Snapshot
    sources: Sources
    retrace: Callable[[], None] | None = None  # traces the last call of the cell; None if not offered


class Runs:
    """The last runs of a kernel, oldest first; every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[str, Run] = {}

    def keep(self, built: Built) -> None:
        """Add a run, or put a newer one in its place; the oldest beyond 8 goes."""
        run = Run(built.document, built.sources, built.retrace)
        with self._lock:
            self._runs.pop(run.document.id, None)
            self._runs[run.document.id] = run
            while len(self._runs) > KEPT:
                del self._runs[next(iter(self._runs))]

    def renew(self, run: Run) -> bool:
        """Replace the document of a run by the present document of its sources, if the kernel still holds the run.

        Returns:
            False where the run was traced anew meanwhile, so that the kernel holds other programs under this id.
        """
        identifier = run.document.id
        with self._lock:
            kept_run = self._runs.get(identifier)
            if kept_run is None:
                return True
            if kept_run.sources is not run.sources:
                return False
            self._runs[identifier] = replace(kept_run, document=run.sources.document)
            return True

    def get(self, identifier: str) -> Run | None:
        """Return the run of this id; None if the run is no longer held."""
        with self._lock:
            return self._runs.get(identifier)

    def newest_first(self) -> list[Run]:
        """Return the runs that the kernel holds, the newest first."""
        with self._lock:
            return list(reversed(self._runs.values()))

    def latest(self) -> list[Snapshot]:
        """Return the latest document of each cell, in the order they were made."""
        latest: dict[str, Snapshot] = {}
        with self._lock:
            for run in self._runs.values():
                cell = cell_key(run.document)
                latest.pop(cell, None)
                latest[cell] = run.document
        return list(latest.values())

    def clear(self) -> None:
        """Let go of every run."""
        with self._lock:
            self._runs.clear()


def cell_key(document: Snapshot) -> str:
    """Return the key that all runs of one cell share; a run outside of a notebook has a key of its own."""
    cell = document.cell
    if cell is None:
        return document.id
    return cell.id or cell.file
