"""The wire: every message between kernel and browser, as one tagged union in each direction.

Kernel to browser, on the comm target `jupyter_jaxpr` that the kernel opens:

    {"type": "hello", "seq": 1, "protocol": 2, "environment": {"jupyter_jaxpr": "0.1.0", "jax": "0.12.0.1", ...}}
    {"type": "progress", "seq": 2, "run": "5f0c", "cell_id": "c3", "function": "rnn", "stage": "compile",
     "elapsed": 2.1, "total_elapsed": 2.4, "finished": [["trace", 0.2], ["lower", 0.1]], "interruptible": false}
    {"type": "snapshot", "seq": 3, "snapshot": {"version": 1, ...}}
    {"type": "failed", "seq": 4, "text": "jupyter_jaxpr could not ...", "cure": "...", "detail": "Traceback ..."}

Browser to kernel, on that same comm:

    {"type": "resend", "protocol": 2, "version": "0.1.0"}
    {"type": "trace", "snapshot": "5f0c"}

Requests go on a comm of their own (target `jupyter_jaxpr.requests`, opened by the browser, so that it lands on a
subshell and is answered while a cell runs). Each file of `requests/` defines one: its parameters, its answer, how long
the browser waits for it. Each has an `id`, and the replies carry it. The reply is the answer, or why there is none:

    {"type": "cost", "id": 7, "snapshot": "5f0c", "program": 0}
    {"type": "answered", "id": 7, "result": {...ProgramCost...}}
    {"type": "cost", "id": 8, "snapshot": "5f0a", "program": 0}
    {"type": "refused", "id": 8, "reason": "The kernel no longer holds this run: it keeps the last 8. Run the cell ..."}

A request that runs the user's code again comes from a button, may take long, and can be stopped. The kernel first
asks the user if effects would happen again, or if the work takes long. During the work, replies report the progress:

    {"type": "time", "id": 9, "snapshot": "5f0c", "program": 0, "confirmed": false}
    {"type": "confirm", "id": 9, "question": "One call takes 4.2 s. Run it again?"}
    {"type": "time", "id": 10, "snapshot": "5f0c", "program": 0, "confirmed": true}
    {"type": "working", "id": 10, "text": "warm", "done": 1, "total": 3, "elapsed": 1.2}
    {"type": "stop", "id": 10}
    {"type": "answered", "id": 10, "result": {...ProgramTiming...}}

A message of 64 kB or more travels as one binary buffer of UTF-8 JSON, with {"type": "buffer"} as the comm's data.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ..document.types.document import Environment, Snapshot
from ..document.types.struct import Struct
from ..document.types.struct import described as _text

PROTOCOL = 2
TARGET = "jupyter_jaxpr"
REQUESTS_TARGET = "jupyter_jaxpr.requests"
BUFFER_FROM = 64 * 1024


# --- kernel to browser ------------------------------------------------------------------------------------


class Hello(Struct, tag="hello"):
    """First on a new comm, and in answer to resend."""

    seq: Annotated[int, _text("Grows by one a message.")]
    protocol: Annotated[int, _text("Version of these messages.")]
    environment: Annotated[Environment, _text("Versions, device and tier.")]


class FinishedStage(Struct, array_like=True):
    """A stage that is over, with its seconds."""

    stage: Annotated[str, _text("trace, lower or compile.")]
    seconds: Annotated[float, _text("As JAX reported it.")]


class UnrolledSoFar(Struct):
    """A Python loop that the trace is in: each iteration adds its equations to the program."""

    kind: Annotated[Literal["for", "while"], _text("The word that begins the statement.")]
    line: Annotated[int, _text("Of the statement, from 1.")]
    file: Annotated[str | None, _text("The name of the file; null where the loop is in the cell that runs.")]


class Progress(Struct, tag="progress"):
    """The heartbeat of a long call, once a second from the first second on; replaced by the snapshot."""

    seq: Annotated[int, _text("Grows by one a message.")]
    run: Annotated[str, _text("Id of the snapshot to come.")]
    cell_id: Annotated[str | None, _text("The cell that runs.")]
    function: Annotated[str | None, _text("The jitted function at work; null while none is.")]
    stage: Annotated[Literal["running", "trace", "lower", "compile", "first_run"], _text("What JAX is doing.")]
    elapsed: Annotated[float, _text("Seconds in this stage.")]
    total_elapsed: Annotated[float, _text("Seconds since the cell started.")]
    finished: Annotated[list[FinishedStage], _text("Earlier stages of this call.")]
    interruptible: Annotated[bool, _text("Whether Interrupt takes effect before the stage ends.")]
    warning: Annotated[str | None, _text("Why the cell takes longer than without the magic, a sentence.")] = None
    equations: Annotated[int | None, _text("Traced so far, or in the traced program; null while unknown.")] = None
    loop: Annotated[UnrolledSoFar | None, _text("The loop that makes the program large; null where none is.")] = None


class SnapshotMessage(Struct, tag="snapshot"):
    """A run has ended."""

    seq: Annotated[int, _text("Grows by one a message.")]
    snapshot: Annotated[Snapshot, _text("What it showed.")]


class Failed(Struct, tag="failed"):
    """Something of ours failed; the user's cell is not affected."""

    seq: Annotated[int, _text("Grows by one a message.")]
    text: Annotated[str, _text("What failed, a sentence.")]
    cure: Annotated[str | None, _text("What to do.")]
    detail: Annotated[str | None, _text("The traceback, to report.")]


# --- kernel to browser, in answer to a request ------------------------------------------------------------


class Answered(Struct, tag="answered"):
    """The answer to a request, the last reply; the request's file says what type it has."""

    id: Annotated[int, _text("The request's.")]
    result: Annotated[Any, _text("The answer.")]


class Refused(Struct, tag="refused"):
    """There is no answer; the last reply."""

    id: Annotated[int, _text("The request's.")]
    reason: Annotated[str, _text("Why, and what to do: sentences.")]


class Confirm(Struct, tag="confirm"):
    """The work would repeat effects or take long, and was not done; the last reply. Ask again with `confirmed`."""

    id: Annotated[int, _text("The request's.")]
    question: Annotated[str, _text("What the user says yes to.")]


class Working(Struct, tag="working"):
    """How far a long request is; more replies come."""

    id: Annotated[int, _text("The request's.")]
    text: Annotated[str, _text("What is being done, such as: step 400, compiling unrolled.")]
    done: Annotated[int | None, _text("Of total; null when it cannot be told.")]
    total: Annotated[int | None, _text("Null when it cannot be told.")]
    elapsed: Annotated[float, _text("Seconds since the request.")]


Reply = Answered | Refused | Confirm | Working
LastReply = Answered | Refused | Confirm
Announcement = Hello | Progress | SnapshotMessage | Failed


# --- browser to kernel ------------------------------------------------------------------------------------


class Resend(Struct, tag="resend"):
    """A page has opened or reconnected: hello and the latest snapshots, please."""

    protocol: Annotated[int, _text("Version of the messages the browser knows.")]
    version: Annotated[str, _text("Version of the browser side of this extension.")]


class TraceCall(Struct, tag="trace"):
    """Trace the last call of a run's cell: the user pressed the button. The run's document is sent anew.

    On the hub's comm, whose messages wait until no cell runs: the trace puts the user's objects back as they were.
    """

    snapshot: Annotated[str, _text("Id.")]


class Stop(Struct, tag="stop"):
    """Stop the work of a request; the last reply has the results so far."""

    id: Annotated[int, _text("The request's.")]
