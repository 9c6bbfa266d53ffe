"""Sends snapshots, progress and failures to every page that shows this kernel.

- `publisher`: returns the only publisher of a shell.
- `Publisher`: the hub, a comm that the kernel opens and that every page joins, and the target on which a page
  opens a comm of its own for requests.

Without a front end (terminal IPython, a script) the methods do nothing. No method raises: a failure is logged and,
where possible, shown in the panel.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import traceback
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ..document.encoding import encode
from ..interruptions import not_of_a_signal
from .answers_to_requests import Answers
from .kept_runs import Runs, cell_key
from .messages import (
    BUFFER_FROM,
    PROTOCOL,
    REQUESTS_TARGET,
    TARGET,
    Announcement,
    Failed,
    FinishedStage,
    Hello,
    Progress,
    Reply,
    SnapshotMessage,
    TraceCall,
    UnrolledSoFar,
)
from .messages_of_widget import WidgetMessages
from .outbox import Outbox
from .sentences_of_refusals import GONE_RUN
from .state_of_kernel import Kernel

if TYPE_CHECKING:
    from ..build.document_of_run import Built, Sources
    from ..document.types.document import Environment, Snapshot

log = logging.getLogger(__name__)
#: The message of an error of this package in the trace that the user asks for after a run.
CALL_NOT_TRACED = "jupyter_jaxpr could not trace the call."

Stage = Literal["running", "trace", "lower", "compile", "first_run"]

_publishers: weakref.WeakKeyDictionary[Any, Publisher] = weakref.WeakKeyDictionary()


def publisher(shell: Any) -> Publisher:
    """Return the publisher of a shell; the first call makes it."""
    if shell not in _publishers:
        # A weak reference, because the publisher must not keep its shell alive.
        shell_reference = weakref.ref(shell)
        _publishers[shell] = Publisher(namespace=lambda: getattr(shell_reference(), "user_ns", None) or {})
    return _publishers[shell]


def publisher_of(document: str, sources: Sources) -> Publisher | None:
    """Return the publisher that keeps a run, found by the run's id and live sources; None if no publisher keeps it."""
    return next((publisher for publisher in list(_publishers.values()) if publisher.holds(document, sources)), None)


def environment() -> Environment:
    """Return the versions and devices for `hello`; JAX is asked only when this is called."""
    from ..build.versions_and_devices import environment

    return environment()


class Publisher:
    """The kernel's side of the communication with the panel; every method may be called from any thread.

    Args:
        environment: Returns the versions, the devices and the tier for `hello`.
        namespace: Returns the user's namespace.

    Attributes:
        has_panel: true if a page with the labextension has sent a message to this kernel.
    """

    def __init__(
        self,
        environment: Callable[[], Environment] = environment,
        namespace: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self._environment = environment
        self._lock = threading.RLock()
        self._runs = Runs()
        self._answers = Answers(self._runs, namespace)
        self._outbox: Outbox[Announcement] = Outbox(self._deliver)
        self._hub: Any = None
        self._asking: dict[str, Any] = {}
        self._seq = 0
        self._last_run: str | None = None
        self.has_panel = False

    @property
    def kernel(self) -> Kernel:
        """What requests need to know about the kernel at present."""
        return self._answers.kernel

    def holds(self, document: str, sources: Sources) -> bool:
        """Return whether this run is kept with these live sources, so that requests can name it."""
        run = self._runs.get(document)
        return run is not None and run.sources is sources

    def widget(
        self,
        document: Snapshot,
        send: Callable[[dict[str, Any]], None],
        renewed: Callable[[Snapshot], None],
        *,
        on_worker: bool,
    ) -> WidgetMessages:
        """Return the kernel's side of a widget that shows a run of this publisher; see `WidgetMessages`."""
        return WidgetMessages(document, self._runs, self._answers, send, renewed, on_worker=on_worker)

    # --- opening and closing the hub ----------------------------------------------------------------------

    def open(self) -> None:
        """Open the hub and send `hello`; do nothing if the hub is open or there is no front end."""
        with _never_raises("jupyter_jaxpr could not open the connection to the panel.", self), self._lock:
            if self._hub is not None:
                return
            import comm

            hub = comm.create_comm(target_name=TARGET)
            if isinstance(hub, comm.DummyComm):
                hub.close()
                return
            self._join(hub)
            comm.get_comm_manager().register_target(REQUESTS_TARGET, self._on_request_comm)
            self._say_hello()

    def close(self) -> None:
        """Close every comm and forget the runs; `open` can be called again."""
        with _never_raises("jupyter_jaxpr could not close the connection to the panel."), self._lock:
            self._runs.clear()
            self._answers.leave()
            if self._hub is None:
                return
            import comm

            self._outbox.close()
            manager = comm.get_comm_manager()
            manager.unregister_target(REQUESTS_TARGET, self._on_request_comm)
            hub, self._hub = self._hub, None
            asking, self._asking = self._asking, {}
            for channel in [hub, *asking.values()]:
                channel.on_close(None)
                with _never_raises("jupyter_jaxpr could not close a comm."):
                    channel.close()

    # --- messages from the kernel to the browser ----------------------------------------------------------

    def publish(self, built: Built) -> None:
        """Send the document of a run, and keep the run for later requests and for `resend`."""
        with _never_raises("jupyter_jaxpr could not send the program to the panel.", self):
            if self._hub is None:
                return
            self._runs.keep(built)
            self._last_run = built.document.id
            self._outbox.drop(Progress)
            self._send_snapshot(built.document)

    def progress(
        self,
        *,
        run: str,
        stage: Stage,
        elapsed: float,
        total_elapsed: float,
        cell_id: str | None = None,
        function: str | None = None,
        finished: Iterable[tuple[str, float]] = (),
        interruptible: bool = True,
        warning: str | None = None,
        equations: int | None = None,
        loop: UnrolledSoFar | None = None,
    ) -> None:
        """Send the stage of a long call, with times in seconds.

        An earlier message of this kind that is not sent yet is replaced.
        """
        with _never_raises("jupyter_jaxpr could not send progress to the panel."):
            if self._hub is None or run == self._last_run:
                return  # the document of the run was already sent, so a heartbeat would be too late
            message = Progress(
                seq=0,
                run=run,
                cell_id=cell_id,
                function=function,
                stage=stage,
                elapsed=elapsed,
                total_elapsed=total_elapsed,
                finished=[FinishedStage(stage=name, seconds=took) for name, took in finished],
                interruptible=interruptible,
                warning=warning,
                equations=equations,
                loop=loop,
            )
            self._outbox.put(Progress, message)

    def fail(self, text: str, cure: str | None = None, detail: str | None = None) -> None:
        """Tell the panel that an operation of this package failed: a sentence, the cure, the traceback."""
        with _never_raises("jupyter_jaxpr could not report a failure to the panel."):
            self._outbox.drop(Progress)
            if self._hub is not None:
                self._outbox.put(Failed, Failed(seq=0, text=text, cure=cure, detail=detail))

    def _say_hello(self) -> None:
        saves = self.kernel.page_saves_values
        hello = Hello(seq=0, protocol=PROTOCOL, environment=self._environment(), saves_values=saves)
        self._outbox.put(Hello, hello)

    def _send_snapshot(self, document: Snapshot) -> None:
        message = SnapshotMessage(seq=0, snapshot=document)
        self._outbox.put((SnapshotMessage, cell_key(document)), message)

    def _deliver(self, message: Announcement) -> None:
        """Number a message and send it; only the outbox calls this, one message at a time."""
        program = isinstance(message, SnapshotMessage)
        with _never_raises("jupyter_jaxpr could not send a message to the panel.", self if program else None):
            hub = self._hub
            if hub is None:
                return
            self._seq += 1
            _send(hub, msgspec.structs.replace(message, seq=self._seq))

    # --- messages from the browser to the kernel ----------------------------------------------------------

    def _join(self, hub: Any) -> None:
        self._hub = hub
        _listen(hub, self._on_hub_message)
        hub.on_close(self._on_hub_closed)

    def _on_hub_message(self, data: object) -> None:
        # Only the type is read, so that a browser of any version gets `hello` and can say which versions do not fit
        # together.
        kind = data.get("type") if isinstance(data, dict) else None
        self.has_panel = True
        if kind == "resend":
            with _never_raises("jupyter_jaxpr could not resend the programs to the panel.", self):
                self._say_hello()
                for document in self._runs.latest():
                    self._send_snapshot(document)
        elif kind == "trace":
            with _never_raises(CALL_NOT_TRACED, self):
                self._trace(msgspec.convert(data, TraceCall))

    def _trace(self, request: TraceCall) -> None:
        """Trace the last call of a run's cell.

        Messages on the hub wait until no cell runs, so no cell runs meanwhile.
        """
        run = self._runs.get(request.snapshot)
        if run is None:
            self.fail(*GONE_RUN)
        elif run.retrace is not None:
            run.retrace()

    def _on_hub_closed(self, message: object) -> None:
        """Ignore that a page closed the hub, because other pages still use it.

        A front end without the labextension closes a comm whose target it does not know.
        """
        with _never_raises("jupyter_jaxpr could not keep the connection to the panel."), self._lock:
            if self._hub is None:
                return
            import comm

            # Mark this comm object as closed: otherwise its garbage collection would close the hub for all pages.
            self._hub._closed = True
            hub = comm.create_comm(comm_id=self._hub.comm_id, target_name=TARGET, primary=False)
            comm.get_comm_manager().register_comm(hub)
            self._join(hub)

    def _on_request_comm(self, asking: Any, opened: object) -> None:
        def forget(closed: object) -> None:
            # The page has closed the comm itself, so it needs no close message; the message would make other pages
            # report an unknown comm.
            asking._closed = True
            with self._lock:
                self._asking.pop(asking.comm_id, None)
            self._answers.leave(asking.comm_id)

        def send(reply: Reply) -> None:
            with _never_raises("jupyter_jaxpr could not answer the panel.", self):
                _send(asking, reply)

        def on_message(data: object) -> None:
            reply = self._answers.answer(data, asking.comm_id, send)
            if reply is not None:
                _send(asking, reply)

        self.has_panel = True
        with self._lock:
            self._asking[asking.comm_id] = asking
        _listen(asking, on_message)
        asking.on_close(forget)


def _send(to: Any, message: Announcement | Reply) -> None:
    """Send a message on a comm: as the comm's data, or from 64 kB on as one binary buffer."""
    raw = encode(message)
    if len(raw) < BUFFER_FROM:
        to.send(data=msgspec.json.decode(raw))
    else:
        to.send(data={"type": "buffer"}, buffers=[raw])


def _listen(to: Any, handle: Callable[[object], None]) -> None:
    """Call `handle` with the data of each message on a comm, on the thread to which the message is addressed.

    This avoids two problems of the comm's class. Around a handler of `on_msg`, it triggers the shell's pre_execute and
    post_execute events; on a subshell, in the middle of a cell, these would show the cell's figures too early. And
    ipykernel sends a message to the subshell that last used the comm, not to the one that the page named; it may no
    longer exist.
    """

    def handle_msg(message: dict[str, Any]) -> None:
        with _never_raises("jupyter_jaxpr could not read a message of the panel."):
            handle(message["content"]["data"])

    def stay(data: object, default: str | None) -> str | None:
        return default

    to.handle_msg = handle_msg
    to._reply_subshell_for = stay


@contextlib.contextmanager
def _never_raises(failure: str, tell: Publisher | None = None) -> Iterator[None]:
    """Log an error of this package instead of raising it; if `tell` is a publisher, the panel shows it, too."""
    try:
        yield
    except not_of_a_signal(Exception):
        log.debug(failure, exc_info=True)
        if tell is not None:
            tell.fail(
                f"{failure} Your cell is not affected.",
                "Run the cell again. If jupyter_jaxpr fails again, report the failure to the developers of "
                "jupyter_jaxpr, with the details below.",
                traceback.format_exc(),
            )
