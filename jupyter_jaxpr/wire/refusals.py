"""Holds the sentences with which the kernel refuses a request of the panel."""

from __future__ import annotations

from .runs import KEPT

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
BROKE = "The kernel could not answer the request: {error}. Run the cell again."
