"""Runs a cond or a switch again for each call of the cell whose arguments were kept; reports each call's branch."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from ...document.limits import Listed
from ...document.types.control_flow import Control
from ...document.types.document import Snapshot
from ...document.types.steps import CallBranches, CallTable
from ...interruptions import not_of_a_signal
from ...measure.steps.jaxpr_evaluation import Unsteppable
from ...measure.steps.kept_steps import Leaf as Column
from ...measure.steps.recorded_and_original_run import Construct
from ...measure.steps.recorded_steps import Steps
from ...measure.steps.step_limits import SECONDS_OF_CALLS
from ...observe import advice_without_magics
from ...observe.calls.arguments_of_calls import KeptCall
from ...observe.calls.held_or_gone_values import ValuesGone
from ...plain_text import error_text
from ...quantities import count
from .texts_of_recorded_values import as_passed, path_of

_LATE = (
    f"The stepper did not run this call, because the stepper took more than {SECONDS_OF_CALLS:g} seconds for "
    "earlier calls."
)
_STOPPED = "You stopped the stepper before this call."
_MORE = "The call ran this construct {times:,} times, and the stepper recorded {kept:,} of these executions."
_FAILED = "The stepper could not run the call ({error})."
_OTHERS = "It is unknown which branches ran in {calls} of {name} in the cell."
_UNCOUNTED = "Calls of {name} that Python code did not make are not counted, so there may be more calls."
_KEEP = (
    "Run the cell with %%jaxpr --steps, which keeps the arguments of at most 8 calls: of the first calls and of the "
    "last call."
)
_AT_MOST = (
    "%%jaxpr --steps keeps the arguments of at most 8 calls. The arguments of a call may take at most 8 MB, and "
    "must have types that the code cannot change after the call, such as JAX arrays."
)
_EFFECTS = "The stepper does not run these calls: the program has effects, and each run would repeat the effects."


def call_table(
    document: Snapshot, control: int, construct: Construct, stopped: Callable[[], bool] = lambda: False
) -> CallTable | None:
    """Return a table of the cell's calls and the branches they took; None for a loop, or if there is only one call.

    Args:
        document: The document with the card of the construct.
        control: The index of the card.
        construct: The construct of the card.
        stopped: Called between two calls; returns True to stop.
    """
    card = document.control_flow[control]
    program = document.programs[card.program]
    activity = program.activity
    if not card.branches or activity is None or (activity.calls or 0) < 2:
        return None
    kept_calls = construct.kept_calls
    runs: list[tuple[KeptCall, Steps | None, str | None]] = []
    if kept_calls is not None and construct.question is None:
        began = time.perf_counter()
        runs = [(call, *_run(construct, call, began, stopped)) for call in kept_calls.calls]
    columns = _columns(card, [steps for _, steps, _ in runs if steps is not None])
    is_numbered = kept_calls is not None and kept_calls.total == activity.calls
    calls = [_row(card, call.number if is_numbered else 0, steps, why, len(columns)) for call, steps, why in runs]
    return CallTable(columns=columns, calls=calls, others=_others(document, control, construct, len(calls)))


def _run(
    construct: Construct, call: KeptCall, began: float, stopped: Callable[[], bool]
) -> tuple[Steps | None, str | None]:
    """Run the construct on the arguments of a call; return (its recorded steps, None) or (None, why there are none)."""
    if stopped():
        return None, _STOPPED
    if time.perf_counter() - began > SECONDS_OF_CALLS:
        return None, _LATE
    try:
        steps = construct.run_call(call.values, stopped)
    except (Unsteppable, ValuesGone) as error:
        return None, str(error)
    # The construct's program raised an error on the values of this call. Other calls may still succeed.
    except not_of_a_signal(Exception) as error:
        return None, _FAILED.format(error=error_text(error))
    if steps.stopped is not None:
        return None, steps.stopped
    if steps.visits_total != len(steps.taken):
        return None, _MORE.format(times=steps.visits_total, kept=len(steps.taken))
    return steps, None


def _shown(card: Control, steps: Steps) -> list[Column]:
    """Return the index, operands and results of a call, as many as fit into the table of calls."""
    columns = as_passed(card, steps.leaves)
    index = [column for column in columns if card.kind == "switch" and column.role in ("index", "predicate")]
    operands = [column for column in columns if column.role == "operand"][: Listed.OPERANDS_OF_CALL]
    results = [column for column in columns if column.role == "result"][: Listed.RESULTS_OF_CALL]
    return [*index, *operands, *results]


def _columns(card: Control, runs: list[Steps]) -> list[str]:
    """Return the headings of the index, operands and results; [] if a call did not run the construct exactly once."""
    if not runs or any(len(steps.taken) != 1 for steps in runs):
        return []
    columns = runs[0].leaves
    return [
        "index" if column.role in ("index", "predicate") else path_of(card, column, columns) or column.role
        for column in _shown(card, runs[0])
    ]


def _row(card: Control, number: int, steps: Steps | None, why: str | None, columns: int) -> CallBranches:
    if steps is None:
        return CallBranches(call=number, values=[""] * columns, taken=[], times=[], unknown=why)
    times = Counter(steps.taken)
    labels = [(branch.label, times[place]) for place, branch in enumerate(card.branches) if times[place]]
    return CallBranches(
        call=number,
        values=[column.seen[0].text for column in _shown(card, steps)] if columns else [],
        taken=[label for label, _ in labels],
        times=[often for _, often in labels],
        unknown=None,
    )


def _others(document: Snapshot, control: int, construct: Construct, known_calls: int) -> str | None:
    """Return a sentence on why the branches of other calls of the function are unknown.

    None if there are no other calls.
    """
    program = document.programs[document.control_flow[control].program]
    activity = program.activity
    assert activity is not None
    other_calls = (activity.calls or 0) - known_calls
    if other_calls <= 0:
        return None if activity.calls_exact else _UNCOUNTED.format(name=program.name)
    calls = count(other_calls, "other call" if known_calls else "call")
    sentence = _OTHERS.format(calls=calls if activity.calls_exact else f"at least {calls}", name=program.name)
    if construct.question is not None:
        return f"{sentence} {_EFFECTS}"
    return (
        f"{sentence} {_KEEP if construct.kept_calls is None else _AT_MOST}"
        if advice_without_magics.has_magics()
        else sentence
    )
