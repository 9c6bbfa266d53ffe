"""Holds the sentences with which the kernel refuses a request of the panel."""

from __future__ import annotations

import msgspec

from ..plain_text import kind_name, message_of
from .kept_runs import KEPT

#: The sentence and the cure of a trace of a call whose run is gone.
GONE_RUN = ("The kernel no longer holds this run.", "Run the cell again.")
GONE = f"The kernel no longer holds this run: the kernel keeps the last {KEPT} runs. Run the cell again."
UNREADABLE = (
    "The kernel's jupyter_jaxpr does not understand the request of the panel ({why}). Install the same version of "
    "jupyter_jaxpr for JupyterLab and for the kernel, then restart JupyterLab and the kernel."
)
TRACED_ANEW = (
    "The call was traced again while the kernel worked on the request, so the answer is about the earlier programs. "
    "Start the request again."
)
_BROKE = "The kernel could not answer the request: {error}. Run the cell again."
#: The sentence and the cure of a trace of a call that a widget asks for while code runs.
TRACE_HAS_TO_WAIT = (
    "The kernel does not trace the call while a cell or a measurement runs.",
    "Wait until the cell or the measurement ends, and trace the call again.",
)
NO_SUCH_PART = "This run does not have the requested {part_of_document}. Run the cell again."
NO_SUCH_TEXT = "This run does not have the requested text. Run the cell again."
NO_SUCH_FILE = "This run does not have the text of the file. Run the cell again."
EARLIER_RUN_GONE = (
    f"The kernel no longer holds the earlier run: the kernel keeps the last {KEPT} runs. Choose another run."
)
NO_SUCH_EARLIER_PROGRAM = "The earlier run does not have the chosen program. Choose another program."
LIVE_TRACED_NEWER_TEXT = "Live has traced a newer text of the cell. The diff of the newer program follows."
TOO_FEW_PROGRAMS = "A comparison needs two or more programs. Choose two or more programs."
NO_MEASURED_MACHINE = (
    "The measurement of this machine was stopped before its first result. Start the measurement again."
)
NO_VALUES_TO_TIME = (
    "{name} was derived from types, so the kernel has no values to run {name} on. Time the original program, or call "
    "the transform in a cell of its own."
)
NO_VALUES_TO_SWEEP = (
    "A sweep calls the function and needs values, but the arguments of '{call}' are types. Write arrays, such as "
    "{name}(jnp.ones({n}))."
)
NO_JAX = "The kernel has no JAX that jupyter_jaxpr supports. Install JAX, and restart the kernel."
STOPPED_IN_QUEUE = (
    "The request was stopped before the request began: an earlier request has not ended. Wait for the earlier request "
    "to end, or stop the earlier request."
)


def unknown_request(name: object) -> msgspec.ValidationError:
    """Return the error for a request with a name that this kernel does not know."""
    return msgspec.ValidationError(f"Invalid value {name!r} - at `$.type`")


def could_not_answer(error: BaseException) -> str:
    """Return the refusal of a request whose handler raised, with the first line of the error's message."""
    text = message_of(error).strip().partition("\n")[0].rstrip(".")
    return _BROKE.format(error=f"{kind_name(type(error))}: {text}" if text else kind_name(type(error)))
