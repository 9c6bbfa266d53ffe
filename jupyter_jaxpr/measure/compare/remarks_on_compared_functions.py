"""Holds the remarks below a comparison of functions: which times or derivatives are missing or special, and why."""

from __future__ import annotations

MADE_BY_COMPARISON = "JAX made this program when the comparison called {name}."
COMPILE_TIME_UNKNOWN = (
    "JAX compiled {name} before {name} was recorded, so the compile time is unknown. Run the cell that defines {name} "
    "again, then compare again."
)
COMPILED_EARLIER = "JAX compiled {name} in an earlier call, and the stage times are of that call."
JITTED_BY_COMPARISON = "{name} is not jitted. The comparison called {name} under a jax.jit of its own."
CALLED_WITHOUT_JIT = "JAX cannot trace {name}, so {name} was called without jit. {why}"
EFFECTS_NOT_REPEATED = (
    "{name} has effects ({effects}), which each call repeats, so no warm call was timed. To time {name} anyway, use "
    "%timeit."
)
SLOW_CALL = "One call of {name} takes about {seconds}, so no warm call was timed. To time {name} anyway, use %timeit."
CALL_RAISED = "{name} raised an error when the comparison called the function again: {error}"
RAISED_AT_VALUE = "{name} raised at {value}: {error}"
COMPARISON_STOPPED = "The comparison was stopped before this step: {step}."
COMPARISON_INTERRUPTED = "The comparison was interrupted in this step: {step}."
NO_DERIVATIVE_TRIED = "JAX cannot trace the function, so no derivative was tried."
CALLED_WITH_STATICS = "{name} was called with static arguments ({statics}): JAX cannot trace {name} otherwise."
