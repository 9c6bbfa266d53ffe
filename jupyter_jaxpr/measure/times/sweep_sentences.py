"""Holds the sentences below a sweep, and the question before a sweep.

The sentences say why the sweep ended early, which functions or times it leaves out, and which times are of one call.
"""

from __future__ import annotations

SWEEP_STOPPED = "The sweep was stopped after {points}. Run the sweep again for all points."
SWEEP_INTERRUPTED = "The sweep was interrupted after {points}. Run the sweep again for all points."
SWEEP_ENDED_BEFORE = (
    "The sweep ended before {name} = {value}, after {points}: a call was expected to take over {limit}. To measure "
    "{name} = {value} anyway, make {value} the first value."
)
FUNCTION_LEFT_OUT = "The sweep leaves out {name}. {why}"
LEFT_OUT_FROM_HERE = (
    "{measurement} are left out from this value of {name} on: a call was expected to take {expected}. To measure "
    "{name} = {value} anyway, make {value} the first value."
)
ONE_EAGER_CALL = "The eager time, {seconds}, is of one call."
ONE_EAGER_CALL_WITH_COMPILES = "The eager time, {seconds}, is of one call and includes compiling its operations."
NO_EAGER_TIME = "The eager time is unknown: the call without jit raised {error}"
ONE_WARM_CALL = "A call takes {seconds}. The warm time is a single sample: the execution in the first call."
NO_WARM_CALL = "A call takes over {seconds}, so no warm call was timed."
ONLY_EAGER_TIMES = "JAX cannot trace {name}, so {name} has only eager times. {why}"
FUNCTION_REPEATS_EFFECTS = (
    "{name} has effects ({effects}), which each call repeats, so {name} was traced and not called. To time the calls, "
    "run the sweep from the Time tab, which asks first."
)
ONLY_CALLS_JITTED = (
    "{name} only calls {called}, which is jitted, so the eager times of {name} are of compiled code too."
)
EFFECTS = (
    "{name} has effects ({effects}). The sweep calls {name} many times at each value, and each call repeats the "
    "effects. Run the sweep?"
)
