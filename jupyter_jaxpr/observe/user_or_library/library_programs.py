"""Records the programs of jitted functions that a library, not the user, jitted and called.

The ledger has no row for such a call, because the user jitted nothing; the panel shows the program at the user's line.
If the call is inside of a trace, the traced program contains the function, and nothing is recorded. Under `grad` or
`vmap` outside of jit, JAX runs a program that it derives from the library's function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...jax.missed_calls import DerivedCall, JitCall
from ...plain_text import own_name, text_of
from ..cell_run import Run
from ..functions.jitted_functions import FunctionRecord
from ..observation import ObservedFunction, Place
from ..open_calls import ThreadState
from ..programs.programs_of_misses import KeptProgram
from ..programs.programs_that_ran import replay
from ..programs.sentences_above_program import NO_VALUES_OF_LIBRARY
from ..stage_times_of_call import CallStages, LooseEvent

MOST = 20
"""The number of library programs that a run keeps."""


class LibraryCall:
    """The record of a missed call of a library's jitted function, while the call runs.

    Attributes:
        before: the last stage that JAX reported before the call.
    """

    __slots__ = ("before", "function", "place", "types")

    def __init__(self, state: ThreadState, function: FunctionRecord, place: Place | None) -> None:
        self.function = function
        self.place = place
        self.before = state.loose[-1] if state.loose else None
        self.types: list[Any] | None = None

    def traced(self, call: JitCall) -> None:
        """Store the types of the arguments before the call runs: donated arguments cannot be read after the call."""
        self.types = call.types()


def note_library_program(state: ThreadState, run: Run, call: JitCall, executable: Any, recording: Any) -> None:
    """Keep the program of a call that has run, if JAX made the program for this call.

    Args:
        state: The state of the thread.
        run: The running cell.
        call: The call; its record is a `LibraryCall`.
        executable: The executable that ran; None if a transform such as vmap handled the call.
        recording: The recording that is on, which contains the program, too; None if no recording is on.
    """
    library: LibraryCall = call.record
    function = library.function
    if executable is None or call.params is None:
        return
    stages = _stages(state, library.before, text_of(call.params.get("name")))
    if not stages.has_program:
        return
    program = KeptProgram(
        "ran",
        call.params["jaxpr"],
        executable,
        in_tree=call.in_tree,
        out_tree=call.out_tree,
        stages=stages.stages_only(),
        call=library.place,
        how=_origin_words(own_name(call.fun, "__module__"), library.place, run.file),
    )
    types = library.types if library.types is not None else call.types()
    _keep(state, run, function, program, lambda: call.stages(types, executable), recording)


def note_derived_library_program(
    state: ThreadState, run: Run, call: DerivedCall, place: Place | None, recording: Any
) -> None:
    """Keep a program that JAX derived, outside of jit, from a library's jitted function, such as its gradient.

    Args:
        state: The state of the thread.
        run: The running cell.
        call: The call of the program.
        place: The user's line.
        recording: The recording that is on; None if no recording is on.
    """
    stages = _newest_stages(state, call.name)
    if not stages.has_program:
        return
    function = FunctionRecord(call.name, call.name, None, library=True)
    phrase = _origin_words(None, place, run.file)
    program = KeptProgram(
        "derived", call.params["jaxpr"], call.executable, stages=stages.stages_only(), call=place, how=phrase
    )
    _keep(state, run, function, program, call.stages, recording)


def _keep(
    state: ThreadState, run: Run, function: FunctionRecord, program: KeptProgram, ask: Callable[[], Any], recording: Any
) -> None:
    if len(run.library_programs) >= MOST:
        run.library_programs_left_out += 1
        return
    replay(state, function, program, ask)
    observed = replace(program.observed(now=True), no_values=NO_VALUES_OF_LIBRARY)
    library_function = ObservedFunction(function.name, function.definition, [observed], library=True)
    run.library_programs.append((library_function, recording))


def _newest_stages(state: ThreadState, name: str) -> CallStages:
    """Return the times of the newest trace, lowering and compile that JAX reported for a function name."""
    stages, event_names = CallStages(), set[str]()
    for event in reversed(state.loose):
        if event.name == name:
            if event.event in event_names:
                break
            event_names.add(event.event)
            stages.add(event.event, event.seconds, event.from_disk)
    return stages


def _stages(state: ThreadState, before: LooseEvent | None, name: str) -> CallStages:
    """Return the stages that JAX reported for a function name after the stage `before`.

    The stages of a library's function belong to no observed call, so JAX's name of the function identifies them.
    """
    stages = CallStages()
    for event in reversed(state.loose):
        if event is before:
            break
        if event.name == name:
            stages.add(event.event, event.seconds, event.from_disk)
    return stages


def _origin_words(module: str | None, place: Place | None, cell: str | None) -> str:
    package = (module or "a library").partition(".")[0]
    line = "" if place is None or place.file != cell else f", line {place.line}"
    return f"jitted by {package}{line}"
