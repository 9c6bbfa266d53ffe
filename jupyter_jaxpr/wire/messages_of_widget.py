"""Answers the messages of one widget, in the same way as the panel's messages are answered.

The panel uses two comms (the hub and a comm for requests); a widget uses custom messages for everything. No message is
sent as a binary buffer, because some hosts of widgets do not support them.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ..document.encoding import encode
from ..interruptions import not_of_a_signal
from .answers_to_requests import Answers
from .kept_runs import Runs
from .messages import PROTOCOL, Announcement, Answered, Failed, Hello, Reply, SnapshotMessage, TraceCall
from .sentences_of_refusals import GONE_RUN, TRACE_HAS_TO_WAIT

if TYPE_CHECKING:
    from ..build.document_of_run import Built
    from ..document.types.document import Snapshot

log = logging.getLogger(__name__)

#: The most bytes of earlier runs that are sent for the Diff view: a server may drop messages that arrive too fast.
EARLIER_BYTES = 500_000


class WidgetMessages:
    """The kernel's side of one widget; every method may be called from any thread.

    Args:
        document: The document of the run that the widget shows.
        runs: The runs that the widget's requests may name.
        answers: Answers requests about these runs.
        send: Sends a custom message.
        renewed: Called with the document of the run after an answer was added to it.
        on_worker: True if the worker answers long requests; False in a host whose widgets can send from the main thread
            only.
    """

    def __init__(
        self,
        document: Snapshot,
        runs: Runs,
        answers: Answers,
        send: Callable[[dict[str, Any]], None],
        renewed: Callable[[Snapshot], None],
        *,
        on_worker: bool = True,
    ) -> None:
        self._shown_id = document.id
        self._environment = document.environment
        self._runs = runs
        self._answers = answers
        self._send = send
        self._renewed = renewed
        self._on_worker = on_worker
        self._seq = 0
        self._lock = threading.Lock()

    def receive(self, data: object, page: str) -> None:
        """Answer a message of the widget.

        Args:
            data: The message.
            page: The id of the widget; a widget can stop only its own requests.
        """
        with _never_raises("jupyter_jaxpr could not answer a message of a widget."):
            kind = data.get("type") if isinstance(data, dict) else None
            if kind == "resend":
                self._announce()
            elif kind == "trace":
                self._trace(msgspec.convert(data, TraceCall))
            else:
                reply = self._answers.answer(data, page, self._reply if self._on_worker else None)
                if reply is not None:
                    self._reply(reply)

    def leave(self, page: str) -> None:
        """Stop the long requests of a widget that was closed."""
        self._answers.leave(page)

    def _announce(self) -> None:
        self._tell(Hello(seq=0, protocol=PROTOCOL, environment=self._environment))
        shown_run = self._runs.get(self._shown_id)
        if shown_run is None:
            return  # The widget shows the document that was saved with it.
        # Sent first, because the widget shows the first run that it receives.
        self._tell(SnapshotMessage(seq=0, snapshot=shown_run.document))
        left = EARLIER_BYTES
        for run in self._runs.newest_first():
            if run.document.created < shown_run.document.created:
                left -= len(encode(run.document))
                if left < 0:
                    break
                self._tell(SnapshotMessage(seq=0, snapshot=run.document))

    def _trace(self, request: TraceCall) -> None:
        run = self._runs.get(request.snapshot)
        if run is None:
            self._fail(*GONE_RUN)
        elif run.retrace is not None and self._answers.kernel.is_measuring:
            # in some hosts, messages of widgets arrive while a cell runs
            self._fail(*TRACE_HAS_TO_WAIT)
        elif run.retrace is not None:
            run.retrace()
            self._show_again()

    def _fail(self, text: str, cure: str) -> None:
        self._tell(Failed(seq=0, text=text, cure=cure, detail=None))

    def _show_again(self) -> None:
        run = self._runs.get(self._shown_id)
        if run is not None:
            self._tell(SnapshotMessage(seq=0, snapshot=run.document))
            self._renewed(run.document)

    def _reply(self, reply: Reply) -> None:
        with _never_raises("jupyter_jaxpr could not answer a widget."):
            self._send(_plain(reply))
            if isinstance(reply, Answered):
                run = self._runs.get(self._shown_id)
                if run is not None:
                    self._renewed(run.document)

    def _tell(self, message: Announcement) -> None:
        with self._lock:
            self._seq += 1
            self._send(_plain(msgspec.structs.replace(message, seq=self._seq)))


def own_messages(
    built: Built,
    namespace: Callable[[], dict[str, Any]],
    send: Callable[[dict[str, Any]], None],
    renewed: Callable[[Snapshot], None],
    *,
    on_worker: bool = True,
) -> WidgetMessages:
    """Return the kernel's side of a widget whose run no publisher keeps, such as a result of `inspect`."""
    runs = Runs()
    runs.keep(built)
    return WidgetMessages(built.document, runs, Answers(runs, namespace), send, renewed, on_worker=on_worker)


@contextlib.contextmanager
def _never_raises(failure: str) -> Iterator[None]:
    """Log an error of this package.

    Otherwise ipywidgets, or Python for a thread, would print a traceback below a cell.
    """
    try:
        yield
    except not_of_a_signal(Exception):
        log.debug(failure, exc_info=True)


def _plain(message: Announcement | Reply) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.json.decode(encode(message))
    return plain
