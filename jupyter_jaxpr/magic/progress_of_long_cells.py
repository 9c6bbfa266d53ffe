"""Reports once a second, while a long cell runs, which stage JAX is in and how long the cell has run."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, get_args

from ..jax.stop_during_compile import compile_can_be_interrupted
from ..observe.observer import Observer
from ..observe.progress import Progress
from ..wire.connection_to_panel import Stage
from ..wire.messages import UnrolledSoFar

if TYPE_CHECKING:
    from ..observe.cell_run import Run
    from ..observe.loop_of_running_trace import UnrolledLoop
    from ..wire.connection_to_panel import Publisher

SECONDS = 1.0

# Whether an interrupt takes effect at once in each stage. XLA runs in one C++ call, and Python's signal handler must
# wait for its end.
_INTERRUPTIBLE = {"running": True, "trace": True, "lower": True, "first_run": False}


class Heartbeat:
    """Reports the progress of a run every second, from a thread of its own; a warning is reported at once.

    Args:
        observer: The observer, which is asked for the stage of the run.
        run: The run.
        publisher: Sends the messages.
        run_id: The id of the run.
        cell_id: The id of the cell; None if unknown.
        warning: The reason why the cell takes longer under the magic; None if the cell does not take longer.
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
        """Start the thread that reports the progress."""
        if self._warning is not None:
            self._tell()
        assert self._thread is not None
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop the reports and wait until the thread has ended; a message that is being sent is completed."""
        self._stopped.set()
        # an interrupt may come before the thread has started
        if self._thread is not None and self._thread.ident is not None:
            self._thread.join(SECONDS)
        # Drop the thread object now. If the garbage collector dropped it, Python code would run in a later cell, and a
        # signal during that code would be lost.
        self._thread = None

    def say(self, text: str, done: int, total: int) -> None:
        """From now on, report the progress of a measurement by this package, which the observer does not see.

        Args:
            text: The text, such as `n=256: eager`.
            done: The number of finished steps.
            total: The number of all steps, at least 1.
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
        time_now = time.perf_counter()
        self._publisher.progress(
            run=self._run_id,
            stage=next(stage_name for stage_name in get_args(Stage) if stage_name == stage),
            elapsed=time_now - progress.since,
            total_elapsed=time_now - self._run.started_at,
            cell_id=self._cell_id,
            function=progress.function,
            finished=progress.finished,
            interruptible=compile_can_be_interrupted() if stage == "compile" else _INTERRUPTIBLE[stage],
            warning=self._warning,
            equations=progress.program.equations,
            loop=_unrolled_so_far(progress.program.loop, self._run.file),
        )


def _unrolled_so_far(loop: UnrolledLoop | None, cell: str | None) -> UnrolledSoFar | None:
    """Return the message on the Python loop that a trace is unrolling; None if the loop is not in this cell."""
    if loop is None:
        return None
    if loop.file == cell:
        return UnrolledSoFar(kind=loop.kind, line=loop.line, file=None)
    if not loop.file.endswith(".py") or not os.path.isfile(loop.file) or os.path.basename(loop.file)[:-3].isdigit():
        return None
    return UnrolledSoFar(kind=loop.kind, line=loop.line, file=os.path.basename(loop.file))
