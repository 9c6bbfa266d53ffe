"""Holds the sentences on recordings outside of jit: of a call or a cell, and why a recording ended."""

from __future__ import annotations

HOW = "recorded as it ran"
NO_TEXT = (
    "The program is a recording: JAX compiled each of its equations by itself. To see the StableHLO and HLO of one "
    "program, call the function under jax.jit."
)
NO_VALUES = (
    "The program is a recording and holds no values. To step through or to time a loop or a jitted function, choose "
    "the program of the loop or of the function itself."
)
TOO_MANY = "The recording covers {first_dispatches}; JAX ran the other dispatches at full speed, unrecorded."
TOO_LONG = (
    "The recording covers {first_dispatches} and added {took} to the run; JAX ran the other dispatches at full speed, "
    "unrecorded."
)
OF_USERS = (
    "The recording ends after {dispatches}: to read the next call, jupyter_jaxpr would run code of your class {kind}."
)
UNKNOWN = "The recording ends after {dispatches}: what JAX ran next could not be read."
CHECKED = "The recording ends after {dispatches}: from then on, JAX checked each result for NaN."
UNREAD = (
    "Your code gave JAX {arrays} of more than 256 KiB more than once. The recording shows such an array as one input, "
    "also where your code changed the array in between."
)

HOW_UNDER = "recorded as it ran under {transform}"
OF_CALL = (
    "jupyter_jaxpr recorded what JAX ran for the call {call}: {ran}, in this order. JAX compiled each dispatch by "
    "itself. For the recording, nothing ran a second time."
)
NOT_RECORDED = "The call {call} was not recorded. {why}"
LEFT_OUT_CALLS = "The statement made {calls} that were not recorded: jupyter_jaxpr records at most 8 calls."
FIRST_OF_SEVERAL = "The cell made this call {calls}; the recording is of the first call."
CALL_RAISED = "The call raised an error; the recording covers what JAX ran until then."

EAGER_TAKES = "--eager records each dispatch of JAX, so the cell takes up to 20 times as long."
OF_CELL = (
    "jupyter_jaxpr recorded what JAX ran for the cell outside of jit: {ran}, in this order. JAX compiled each dispatch "
    "by itself."
)
COMPOSED = (
    "JAX compiles no program for the whole of {name} outside of jit: each operation of {name} is a program of its own."
)
TOOK = "The recording took {took} of the cell's time."
MORE_BY_EAGER = "To also record what JAX ran after the recording ended, write %%jaxpr --eager."
