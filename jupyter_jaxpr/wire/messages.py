"""Declares every message between kernel and browser, as one tagged union in each direction.

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
subshell and is answered while a cell runs). Each file of `requests/` defines one request: its parameters, its answer,
and the time that the browser waits. Each request has an `id`, and the replies carry this `id`. The reply is the answer,
or the reason why there is no answer:

    {"type": "cost", "id": 7, "snapshot": "5f0c", "program": 0}
    {"type": "answered", "id": 7, "result": {...ProgramCost...}}
    {"type": "cost", "id": 8, "snapshot": "5f0a", "program": 0}
    {"type": "refused", "id": 8, "reason": "The kernel no longer holds this run: the kernel keeps the last 8 runs. ..."}

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


# --- messages from the kernel to the browser --------------------------------------------------------------


class Hello(Struct, tag="hello"):
    """The first message on a new comm, and the answer to `resend`."""

    seq: Annotated[int, _text("The number of the message, larger by one for each message.")]
    protocol: Annotated[int, _text("The version of these messages.")]
    environment: Annotated[Environment, _text("The versions, the device and the tier of the kernel.")]
    saves_values: Annotated[
        bool, _text("The setting on saved values that a page sent last to this kernel; true if no page sent one.")
    ] = True


class FinishedStage(Struct, array_like=True):
    """A finished stage of a call, with the seconds of the stage."""

    stage: Annotated[str, _text("The name of the stage: trace, lower or compile.")]
    seconds: Annotated[float, _text("The seconds of the stage, by JAX's report.")]


class UnrolledSoFar(Struct):
    """A Python loop that the trace is in: each iteration adds equations to the program."""

    kind: Annotated[Literal["for", "while"], _text("The keyword of the loop statement.")]
    line: Annotated[int, _text("The line of the loop statement, from 1.")]
    file: Annotated[str | None, _text("The name of the loop's file; null if the loop is in the cell that runs.")]


class Progress(Struct, tag="progress"):
    """The heartbeat of a long call, once a second from the first second on; the snapshot replaces the heartbeat."""

    seq: Annotated[int, _text("The number of the message, larger by one for each message.")]
    run: Annotated[str, _text("The id of the snapshot that the run will have.")]
    cell_id: Annotated[str | None, _text("The id of the cell that runs.")]
    function: Annotated[str | None, _text("The jitted function that JAX works on; null if JAX works on no function.")]
    stage: Annotated[Literal["running", "trace", "lower", "compile", "first_run"], _text("The stage that JAX is in.")]
    elapsed: Annotated[float, _text("The seconds in this stage.")]
    total_elapsed: Annotated[float, _text("The seconds since the start of the cell.")]
    finished: Annotated[list[FinishedStage], _text("The finished stages of this call.")]
    interruptible: Annotated[bool, _text("True if Interrupt takes effect before the stage ends.")]
    warning: Annotated[
        str | None, _text("The reason why the cell takes longer than without the magic, a sentence.")
    ] = None
    equations: Annotated[
        int | None, _text("The number of equations traced so far, or of the traced program; null if unknown.")
    ] = None
    loop: Annotated[UnrolledSoFar | None, _text("The loop that makes the program large; null if no loop does.")] = None


class SnapshotMessage(Struct, tag="snapshot"):
    """The message with the document of a run that has ended."""

    seq: Annotated[int, _text("The number of the message, larger by one for each message.")]
    snapshot: Annotated[Snapshot, _text("The document of the run.")]


class Failed(Struct, tag="failed"):
    """The message that an operation of jupyter_jaxpr failed; the user's cell is not affected."""

    seq: Annotated[int, _text("The number of the message, larger by one for each message.")]
    text: Annotated[str, _text("The failed operation, a sentence.")]
    cure: Annotated[str | None, _text("The advice to the user, a sentence; null without advice.")]
    detail: Annotated[str | None, _text("The traceback, for a bug report.")]


# --- replies of the kernel to a request -------------------------------------------------------------------


class Answered(Struct, tag="answered"):
    """The answer to a request, the last reply; the file of the request states the type of the answer."""

    id: Annotated[int, _text("The id of the request.")]
    result: Annotated[Any, _text("The answer; the type depends on the request.")]


class Refused(Struct, tag="refused"):
    """The last reply to a request that has no answer."""

    id: Annotated[int, _text("The id of the request.")]
    reason: Annotated[str, _text("The reason why there is no answer, and what the user can do: sentences.")]


class Confirm(Struct, tag="confirm"):
    """The last reply to a request whose work would repeat effects or take long: nothing was done.

    The browser asks the user, and sends the request again with `confirmed`.
    """

    id: Annotated[int, _text("The id of the request.")]
    question: Annotated[str, _text("The question that the user answers with yes or no.")]


class Working(Struct, tag="working"):
    """The progress of a long request; more replies follow."""

    id: Annotated[int, _text("The id of the request.")]
    text: Annotated[str, _text("The present work, such as: step 400, compiling unrolled.")]
    done: Annotated[int | None, _text("The number of finished parts of `total`; null if unknown.")]
    total: Annotated[int | None, _text("The number of all parts of the work; null if unknown.")]
    elapsed: Annotated[float, _text("The seconds since the request.")]


Reply = Answered | Refused | Confirm | Working
LastReply = Answered | Refused | Confirm
Announcement = Hello | Progress | SnapshotMessage | Failed


# --- messages from the browser to the kernel --------------------------------------------------------------


class Resend(Struct, tag="resend"):
    """The question of a page that has opened or reconnected: asks for hello and the latest snapshots."""

    protocol: Annotated[int, _text("The version of the messages that the browser knows.")]
    version: Annotated[str, _text("The version of the browser side of this extension.")]


class TraceCall(Struct, tag="trace"):
    """Trace the last call of a run's cell, after the user pressed the button; the kernel sends the document anew.

    The message travels on the hub's comm, whose messages wait until no cell runs: the trace puts the user's objects
    back as they were.
    """

    snapshot: Annotated[str, _text("The id of the run.")]


class Stop(Struct, tag="stop"):
    """Stop the work of a request; the last reply has the results so far."""

    id: Annotated[int, _text("The id of the request to stop.")]
