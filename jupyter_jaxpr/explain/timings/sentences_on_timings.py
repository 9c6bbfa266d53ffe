"""Finds time measurements in a cell's code that end before JAX's work is done.

A call of a jitted function, or an operation outside of jit, returns before JAX's work is done. `%timeit f(x)`, or a
clock read before and after `f(x)`, then measures how long JAX takes to start the work. There is a note only if this is
certain: no call in the measured code waits for a result, and no statement reads a value. The check runs no code of the
user's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...jax.effect_names import program_effects
from ...observe.observation import Finding, Observation, Place
from .clocks_and_timed_code import LONGEST, TimedCode, Timing

_OF_A_FIRST_CALL = (
    "The measured time includes the dispatch and the compilation of a first call, but not the computation."
)
_OF_SOME_CALL = (
    "The measured time includes the dispatch, and the compilation if the measured call compiled a program, but not the "
    "computation."
)


def unblocked_timings(source: str, file: str, namespace: Mapping[str, Any], observation: Observation) -> list[Finding]:
    """Return a finding for each line of the cell that measures only how long JAX takes to start the work.

    Args:
        source: The source code of the cell, with its magics.
        file: The file name of the cell's code.
        namespace: The user's names after the run of the cell, with their values. No value is called.
        observation: The observation of the cell, which has the results of each function.
    """
    programs = [program for function in observation.functions for program in function.programs]
    barrier_waits = any(program_effects(program.jaxpr) for program in programs)
    timings = TimedCode(source, namespace, barrier_waits).timings()
    return [_finding(timing, file, observation) for timing in {timing.line: timing for timing in timings}.values()]


def _finding(timing: Timing, file: str, observation: Observation) -> Finding:
    value = timing.assigned or timing.around or timing.call
    if timing.around is not None and len(timing.around) > LONGEST:
        value = "..."
    is_array = timing.around is None and _one_array(timing, observation)
    waiting_call = f"{value}.block_until_ready()" if is_array else f"jax.block_until_ready({value})"
    if timing.helper is not None:
        cure = (
            f"In {timing.helper}, call jax.block_until_ready on the result before {timing.helper} reads the clock "
            "again."
        )
    elif timing.how == "with":
        value = timing.assigned or timing.call
        cure = f"Call jax.block_until_ready({value}) at the end of the with block."
    elif timing.assigned is None:
        cure = (
            f"Write {waiting_call} in place of the {'operation' if timing.is_operation else 'call'}."
            if timing.how in ("clock", "%%time")
            else f"Time {waiting_call} instead."
        )
    elif timing.how == "%%time":
        cure = f"Add {waiting_call} at the end of the cell."
    else:
        cure = f"Call {waiting_call} before the clock is read again."
    clock_text = {
        "clock": "The clock around this operation" if timing.is_operation else "The clock around this call",
        "with": "The clock around this with block",
        "helper": f"The clock in {timing.helper}",
        "time": "%time",
        "timeit": "%timeit",
    }.get(timing.how, timing.how)
    # the name of an eager construct also contains the name of its body, such as scan(step)
    compiled = [
        function
        for function in observation.functions
        if (function.name == timing.function or function.name.startswith(f"{timing.function}(")) and function.compiles
    ]
    if timing.how != "timeit" and compiled:
        # the counts do not say which of several calls compiled
        every_call_compiled = all(function.calls_exact and function.calls == function.compiles for function in compiled)
        included = _OF_A_FIRST_CALL if every_call_compiled else _OF_SOME_CALL
    # the measured call may have compiled under another name: `f = jax.jit(lambda x: x)` compiles `<lambda>`
    elif timing.how != "timeit" and (
        observation.eager_compiles or any(function.compiles for function in observation.functions)
    ):
        included = "The measured time does not include the whole computation."
    else:
        included = "The measured time includes only the dispatch, which may take far less time than the computation."
    return Finding(
        kind="unblocked_timing",
        text=f"{clock_text} stops when {timing.function} returns. JAX returns before the work is done. {included}",
        cure=cure,
        function=timing.function,
        place=Place(file, timing.line),
        title="The clock stops before the work is done",
    )


def _one_array(timing: Timing, observation: Observation) -> bool:
    """Return whether the timed function returns a single array, which has the method `block_until_ready`."""
    import jax

    results = [
        program.result
        for function in observation.functions
        if function.name == timing.function
        for program in function.programs
    ]
    return bool(results) and all(isinstance(result, jax.ShapeDtypeStruct) for result in results)
