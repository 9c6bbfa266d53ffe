"""Runs long requests one at a time on a thread of their own: `working` replies, then one last reply.

The thread that brought the request is free at once, so `stop` and other requests are answered meanwhile. To answer a
request this way, derive it from `base_of_requests.LongRequest`. In its `answer`:

- `work.tell("compiling unrolled", done=1, total=3)` reports the progress. It may be called as often as you like: the
  first report is sent at once, and at most four reports are sent in a second.
- `work.stopped` must be checked between steps, each of at most about a second. If it is true, return the results so
  far.
- `work.elapsed` is the seconds since the job began.
- If `answer` raises `Unavailable`, its message, which says what to do, becomes the reason of the refusal. Any other
  error becomes a reason, too.

The observer does not record the JAX calls that the job makes, because they are not the user's.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ..observe.process_observer import observer
from .messages import LastReply, Refused, Reply, Working
from .sentences_of_refusals import STOPPED_IN_QUEUE

PER_SECOND = 4
_WAITS = "waiting for an earlier request to end"


class Work:
    """The progress of a long request; every method may be called from any thread.

    Args:
        identifier: The request's id.
        send: Sends a reply to the page that asked.
        clock: Seconds that never go backwards.
    """

    def __init__(
        self, identifier: int, send: Callable[[Reply], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.identifier = identifier
        self._send = send
        self._clock = clock
        self._began = clock()
        self._last_report: float | None = None
        self._stop = threading.Event()
        self._left = False

    @property
    def stopped(self) -> bool:
        """True if the user has pressed Stop, or nobody waits for the answer any more."""
        return self._stop.is_set()

    @property
    def elapsed(self) -> float:
        """The seconds since the request arrived."""
        return self._clock() - self._began

    def is_stopped(self) -> bool:
        """Return `stopped`, for code that takes a function."""
        return self.stopped

    def stop(self) -> None:
        """Ask the job to end; the job returns the results that it has."""
        self._stop.set()

    def leave(self) -> None:
        """Ask the job to end, and send no further reply, because nobody waits for the answer any more."""
        self._left = True
        self.stop()

    def tell(self, text: str, done: int | None = None, total: int | None = None, *, always: bool = False) -> None:
        """Send the progress, unless the last report is less than a quarter of a second old.

        Args:
            text: The present step in words.
            done: The number of finished steps.
            total: The number of all steps; None where it is unknown.
            always: True to send the report in any case, as at the start of one of a few long steps.
        """
        time_now = self._clock()
        if not always and self._last_report is not None and time_now - self._last_report < 1 / PER_SECOND:
            return
        self._last_report = time_now
        self.reply(Working(id=self.identifier, text=text, done=done, total=total, elapsed=time_now - self._began))

    def reply(self, reply: Reply) -> None:
        """Send a reply, unless the page has gone."""
        if not self._left:
            self._send(reply)


Job = Callable[[Work], LastReply]

# The workers of the panel and of all widgets share this lock: two jobs at once would disturb each other's times and
# share the machine's memory.
_turn = threading.Lock()


class Worker:
    """Runs long requests, one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._works: dict[tuple[str, int], Work] = {}

    def begin(self, page: str, identifier: int, job: Job, send: Callable[[Reply], None]) -> None:
        """Start a job, or let the job wait for its turn; the last reply is the value that the job returns.

        Args:
            page: The sender of the request, such as the id of its comm.
            identifier: The request's id, unique for the page.
            job: Does the work; must not raise.
            send: Sends a reply to the page; called from the job's thread.
        """
        work = Work(identifier, send)
        with self._lock:
            self._works[page, identifier] = work
        # A daemon: a computation that never ends must not keep the kernel from shutting down.
        thread = threading.Thread(
            target=self._run, args=(page, work, job), name=f"jupyter_jaxpr request {identifier}", daemon=True
        )
        thread.start()

    def stop(self, page: str, identifier: int) -> None:
        """Ask a job to end with the results that it has; does nothing where the job has ended."""
        with self._lock:
            work = self._works.get((page, identifier))
        if work is not None:
            work.stop()

    @property
    def is_busy(self) -> bool:
        """True if a job of any worker is at work, or a job of this worker waits for its turn."""
        return _turn.locked() or bool(self._works)

    def leave(self, page: str | None = None) -> None:
        """End the jobs of a page that has gone, or of all."""
        with self._lock:
            works = [work for (asking, _), work in self._works.items() if page is None or asking == page]
        for work in works:
            work.leave()

    def _run(self, page: str, work: Work, job: Job) -> None:
        try:
            while not _turn.acquire(timeout=1 / PER_SECOND):
                work.tell(_WAITS)
                if work.stopped:
                    work.reply(Refused(id=work.identifier, reason=STOPPED_IN_QUEUE))
                    return
            try:
                with observer().looking_away():
                    reply = job(work)
            finally:
                _turn.release()
            work.reply(reply)
        finally:
            with self._lock:
                self._works.pop((page, work.identifier), None)
