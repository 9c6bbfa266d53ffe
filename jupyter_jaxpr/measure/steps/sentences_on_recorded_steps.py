"""Makes the sentences that stand below the recorded steps of a construct, and the question before the recording.

The sentences say why a run stopped, whether the recorded results equal those of the original function, and why a loop
never ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...observe.advice_without_magics import KEEP_AND_INSPECT, cure
from ...quantities import count
from .kept_steps import Leaf, number_of
from .recorded_steps import Steps

if TYPE_CHECKING:
    from .recorded_and_original_run import Pair

STOPPED = "You stopped the stepper after {steps}. Press “Record the steps again” to start over."
ALL_STEPS_USED = "The stepper stopped after {steps}, because the stepper runs at most this many steps."
ALL_SECONDS_USED = "The stepper stopped after {steps}, because the stepper runs for at most {seconds:g} seconds."
STATE_NO_LONGER_CHANGES = (
    "The stepper stopped after {steps}. The state of the loop no longer changes, so the loop never ends."
)
STATE_REPEATS = (
    "The stepper stopped after {steps}. The state of the loop repeats every {period:,} steps, so the loop never ends."
)
NOT_RUN = (
    "The recorded run stopped before its end, so jupyter_jaxpr did not run the original function to compare the "
    "results."
)
EFFECTS = (
    "The function has effects ({effects}). The stepper runs the function twice: once step by step, and once "
    "unchanged. Both runs repeat the prints and callbacks of the function. Run the function?"
)
SEVERAL_DEVICES = (
    "The arrays of the function are split over {count} devices, which the stepper does not support. Call the function "
    "with arrays of one device."
)
_VALUES_NOT_RECORDED = "The values of the call were not recorded. {cure}"
_RUN_WITH_STEPS = "Run the cell again with %%jaxpr --steps."
_VALUES_OF_EARLIER_CALL = "The steps use the values of the call that compiled, not of the last call. {cure}"
_STEPS_RECORDS_LAST_CALL = "%%jaxpr --steps records the last call."
_INSPECT_LAST_CALL = (
    "To record the steps of the last call, pass its function and its arguments to jupyter_jaxpr.inspect."
)
VALUES_DONATED_LATER = (
    "The steps use the values of the call that compiled, because later calls donated their arguments."
)
ORIGINAL_NOT_COMPILED = "JAX could not compile the original function, so its results were not compared ({error})."
NO_EXECUTABLE = "The executable that JAX ran is not available, so the results were not compared."
OTHER_NUMBER_OF_RESULTS = (
    "The original function and its program have different numbers of results. No result was compared."
)
NUMBER_OF_STEPS_UNKNOWN = "The number of steps of the original function is unknown."
_SIGNS = {"above": ">", "at or above": ">=", "below": "<", "at or below": "<="}
_CURE = "Choose a bound that the compared value can reach, or also end the loop after a fixed number of steps."


def values_not_recorded() -> str:
    """Return the sentences for a call whose values were not recorded."""
    return _VALUES_NOT_RECORDED.format(cure=cure(_RUN_WITH_STEPS, KEEP_AND_INSPECT))


def values_of_earlier_call() -> str:
    """Return the sentences for steps that use the values of an earlier call than the last one."""
    return _VALUES_OF_EARLIER_CALL.format(cure=cure(_STEPS_RECORDS_LAST_CALL, _INSPECT_LAST_CALL))


def verdict(pairs: Sequence[Pair]) -> str:
    """Return sentences on whether the recorded results equal the results of the original function."""
    apart = [compared for compared in pairs if not compared.equal]
    if not pairs:
        return "The function has no results to compare."
    if not apart:
        return "The recorded results equal the original function's results, bit for bit."
    largest = max((compared.largest_difference or 0.0 for compared in apart), default=0.0)
    differ = (
        f"{len(apart)} of {len(pairs)} results differ from the original function's results by at most {largest:.2g}."
    )
    if len(apart) == 1:
        differ = f"One result differs from the original function's result by at most {largest:.2g}."
    return (
        f"{differ} The stepper compiles the loop in pieces, and the pieces round differently than the whole loop. The "
        "table shows both values."
    )


def why_loop_never_ends(steps: Steps) -> list[str]:
    """Return a note on why a loop never ends, if the run found that the state of the loop repeats."""
    if steps.never_ends is None:
        return []
    notes = []
    for leaf in steps.leaves:
        texts = [value.text for value in leaf.seen]
        if leaf.role != "compared" or not texts or not _goes_on(leaf):
            continue
        threshold = number_of(leaf.threshold) if leaf.threshold is not None else None
        if steps.never_ends == 1:
            since = next(place for place in range(len(texts)) if len(set(texts[place:])) == 1)
            last_value = texts[-1]
            sentence = (
                f"The value that the condition of the loop compares stopped changing after {count(since, 'step')}, at "
                f"{last_value}."
            )
        else:
            sentence = f"The value that the condition of the loop compares repeats every {steps.never_ends:,} steps."
        if threshold is None:
            goal = "The condition of the loop stays true."
        else:
            goal = f"The compared value stays {_SIGNS[leaf.side]} {threshold:g}."
        notes.append(f"{sentence} {goal} {_CURE}")
    return notes


def _goes_on(leaf: Leaf) -> bool:
    """Return whether the last recorded value would let the loop continue; True if this is unknown."""
    number, threshold = leaf.seen[-1].number, leaf.threshold
    if number is None or threshold is None:
        return True
    return number > float(threshold) if leaf.side in ("above", "at or above") else number < float(threshold)


def numbers_of_steps(recorded: int, original: int) -> str:
    """Return the sentence on the number of steps of the recorded run and of the original function."""
    if original == recorded:
        return f"The recorded run and the original function both took {count(original, 'step')}."
    steps_recorded, steps_of_function = count(recorded, "step"), count(original, "step")
    return f"The recorded run took {steps_recorded}, and the original function took {steps_of_function}."
