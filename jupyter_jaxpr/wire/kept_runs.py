"""Keeps the last runs, by id, so that the panel can send requests about them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..build.document_of_run import Built, Sources
    from ..document.types.document import Snapshot

# A run keeps JAX's programs alive (but no arrays), so only the runs of a notebook's recent cells are kept.
KEPT = 8


@dataclass(frozen=True)
class Run:
    """A run about which requests may ask: its present document and its live sources.

    Attributes:
        retrace: a function that traces the last call of the cell again; None if the panel has no such offer.
    """

    document: Snapshot
    sources: Sources
    retrace: Callable[[], None] | None = None


class Runs:
    """The last runs of a kernel, oldest first. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[str, Run] = {}
        #: The program that Live traced last; its document alone, without live objects.
        self.written: Snapshot | None = None

    def keep(self, built: Built) -> None:
        """Add a run; an older run of the same id is replaced, and above the limit the oldest run is dropped."""
        run = Run(built.document, built.sources, built.retrace)
        with self._lock:
            self._runs.pop(run.document.id, None)
            self._runs[run.document.id] = run
            while len(self._runs) > KEPT:
                del self._runs[next(iter(self._runs))]

    def renew(self, run: Run) -> bool:
        """Replace the document of a run by the present document of its live sources, if the kernel still keeps the run.

        Returns:
            False if the run was traced again, so that the kernel has other programs for this id.
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
        """Return the run with this id; None if it is no longer kept."""
        with self._lock:
            return self._runs.get(identifier)

    def newest_first(self) -> list[Run]:
        """Return the kept runs, newest first."""
        with self._lock:
            return list(reversed(self._runs.values()))

    def latest(self) -> list[Snapshot]:
        """Return the newest document of each cell, in the order in which they were made."""
        latest: dict[str, Snapshot] = {}
        with self._lock:
            for run in self._runs.values():
                cell = cell_key(run.document)
                latest.pop(cell, None)
                latest[cell] = run.document
        return list(latest.values())

    def clear(self) -> None:
        """Forget all runs, and Live's program."""
        with self._lock:
            self._runs.clear()
            self.written = None


def cell_key(document: Snapshot) -> str:
    """Return the key of a cell, which all its runs share; a run outside of a notebook has its own key."""
    cell = document.cell
    if cell is None:
        return document.id
    return cell.id or cell.file
