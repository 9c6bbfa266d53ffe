"""Makes the question before a program is timed, and holds the remarks below its times.

The remarks say which calls were not timed, and why.
"""

from __future__ import annotations

from ...jax.effect_names import program_effects
from ...observe.advice_without_magics import KEEP_AND_INSPECT, cure
from ...observe.observation import ObservedProgram
from ...quantities import duration
from .repeated_calls import SLOW

EFFECTS = (
    "{name} has effects ({effects}). Timing calls {name} many times, and each call repeats the effects. Time {name}?"
)
LONG = "One call of {name} takes {seconds}. Timing makes {runs} or more calls. Time {name}?"
LONG_EAGER = "One call of {name} without jit takes {seconds}. Timing makes {runs} or more calls. Time {name}?"
_NO_VALUES = "The recorded argument values of {name} are gone, so {name} cannot be called again. {cure}"
_TIME_OR_KEEP = "Run the cell again with %%jaxpr --time, which keeps the values, or keep the arguments in variables."
NO_EXECUTABLE = "The kernel no longer holds the executable of this program. Run the cell again."
COMPILED_FOR_TIMING = "JAX compiled {name} for the timing: {name} was only traced before."
BY_EXECUTABLE = (
    "{why} The timing called the executable in place of the jitted function, so each call took some microseconds more."
)
OTHER_PROGRAM = "JAX does not find the program of the call again, because the settings or the caches of JAX changed."
NO_FUNCTION = "The jitted function no longer exists: perhaps the function was defined again."
NO_PLAIN_FUNCTION = "The function no longer exists: perhaps the function was defined again."
NO_STATIC = "A static argument of the call no longer exists."
DERIVED_PROGRAM = "JAX derived this program from {name}, under a transform such as grad."
NO_RECORDED_CALL = "jupyter_jaxpr recorded no call of {name} itself."
RESULT_MAY_DIFFER = "The settings or the caches of JAX changed, so a call without jit might compute something else."
JIT_OF_LIBRARY = "{library} jits {name} with its own wrapper, so jupyter_jaxpr cannot call {name} without jit."
EAGER_CALL_RAISED = "The call without jit raised {error}"
NOT_TIMED_WITHOUT_JIT = "{name} was not timed without jit. {why}"
TIMING_STOPPED = "Timing was stopped. The times are of the calls that ended before the stop."
TIMING_INTERRUPTED = "Timing was interrupted. The times are of the calls that ended before the interrupt."
_RUNS_OF_LONG = 5
PRINTS_NOT_SHOWN = "What {name} printed during the timing is not shown."
CALL_RAISED = "{name} raised an error when the timing called the function: {error}"
ONE_CALL_TIMED = (
    "One {call} takes {seconds}, so only one {call} was timed. To time more calls, press “Measure again” in the Time "
    "tab."
)
COMPILES_LEFT_OUT = "The time without jit leaves out {seconds} in which JAX compiled the operations."
CALLS_JITTED_FUNCTIONS = "The call of {name} without jit still calls functions that are jitted: {functions}."


def no_values(name: str) -> str:
    """Return the sentences for a program whose argument values are gone."""
    return _NO_VALUES.format(name=name, cure=cure(_TIME_OR_KEEP, KEEP_AND_INSPECT))


def question(name: str, program: ObservedProgram, warm: float | None = None, eager: float | None = None) -> str | None:
    """Return the question that the user must confirm before a program runs again; None if none is needed.

    Args:
        name: The name of the function.
        program: The program.
        warm: The seconds of an earlier timed call; with None, the seconds of the first run are used.
        eager: The seconds of an earlier timed call without jit.
    """
    effects = program_effects(program.jaxpr)
    if effects:
        return EFFECTS.format(name=name, effects=", ".join(effects))
    seconds = warm if warm is not None else program.stages.first_run if program.stages is not None else None
    if seconds is not None and seconds > SLOW:
        return LONG.format(name=name, seconds=duration(seconds), runs=_RUNS_OF_LONG)
    if eager is not None and eager > SLOW:
        return LONG_EAGER.format(name=name, seconds=duration(eager), runs=_RUNS_OF_LONG)
    return None
