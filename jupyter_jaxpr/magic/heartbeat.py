"""Reports once a second what JAX is doing in a long cell, and for how long."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, get_args

from ..jax.facts import compile_can_be_interrupted
from ..observe.observer import Observer, Progress
from ..wire.comm import Stage
from ..wire.messages import UnrolledSoFar

if TYPE_CHECKING:
    from ..observe.run import Run
    from ..observe.under_way import UnrolledLoop
    from ..wire.comm import Publisher

SECONDS = 1.0

# XLA runs in one C++ call, which Python's signal handler waits for.
_INTERRUPTIBLE = {"running": True, "trace": True, "lower": True, "first_run": False}


class Heartbeat:
    """Beats in a thread of its own from the first second on, until it is stopped; at once where there is a warning.

    Args:
        observer: Knows what JAX is doing.
        run: That goes on.
        publisher: Gets the messages.
        run_id: Of the run.
        cell_id: Of the cell; None where it is not known.
        warning: Why the cell takes longer than without the magic; None where it does not.
    """

    def __init__(
        self,
        observer: Observer,
        run: Run,
        publisher: Publisher,
        run_id: str,
        cell_id: str | None,
        warning: str | None = None,
    ) -> None:
        self._observer = observer
        self._run = run
        self._publisher = publisher
        self._run_id = run_id
        self._cell_id = cell_id
        self._warning = warning
        self._doing: tuple[str, float] | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = threading.Thread(
            target=self._beat, name="jupyter_jaxpr heartbeat", daemon=True
        )

    def start(self) -> Heartbeat:
        """Start the thread."""
        if self._warning is not None:
            self._tell()
        assert self._thread is not None
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop, and wait until the thread has ended; where a beat is being sent for long, it ends after that."""
        self._stopped.set()
        if self._thread is not None and self._thread.ident is not None:  # an interrupt may come before the start
            self._thread.join(SECONDS)
        # A thread that the collector frees calls Python, in a later cell of the user's: an alarm there would be lost.
        self._thread = None

    def say(self, text: str, done: int, total: int) -> None:
        """From now on, tell what a measurement of ours is doing: the observer does not see it.

        Args:
            text: Such as `n=256: eager`.
            done: Of `total` steps.
            total: At least 1.
        """
        self._doing = f"{text} ({done + 1} of {total})", time.perf_counter()

    def _beat(self) -> None:
        while not self._stopped.wait(SECONDS):
            self._tell()

    def _tell(self) -> None:
        progress = self._observer.progress(self._run)
        if self._doing is not None:
            progress = Progress("running", *self._doing)
        stage = progress.stage
        now = time.perf_counter()
        self._publisher.progress(
            run=self._run_id,
            stage=next(known for known in get_args(Stage) if known == stage),
            elapsed=now - progress.since,
            total_elapsed=now - self._run.started_at,
            cell_id=self._cell_id,
            function=progress.function,
            finished=progress.finished,
            interruptible=compile_can_be_interrupted() if stage == "compile" else _INTERRUPTIBLE[stage],
            warning=self._warning,
            equations=progress.program.equations,
            loop=_told(progress.program.loop, self._run.file),
        )


def _told(loop: UnrolledLoop | None, cell: str | None) -> UnrolledSoFar | None:
    """A loop as the panel names it; None where it is in another cell, whose number is not known here."""
    if loop is None:
        return None
    if loop.file == cell:
        return UnrolledSoFar(kind=loop.kind, line=loop.line, file=None)
    if not loop.file.endswith(".py") or not os.path.isfile(loop.file) or os.path.basename(loop.file)[:-3].isdigit():
        return None
    return UnrolledSoFar(kind=loop.kind, line=loop.line, file=os.path.basename(loop.file))
