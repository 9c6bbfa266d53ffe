"""Runs `--sweep`: measures the function at each value, and shows the program at the first value.

The arguments are evaluated in a copy of the user's namespace in which the swept name has the value, so the namespace
itself does not change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..interruptions import not_of_a_signal
from ..jax.facts import imported
from ..measure.compare.named_function import functions_of
from ..measure.times.sweep_run import Sweep, Values, sweep
from ..observe.observation import Finding, Observation

if TYPE_CHECKING:
    from ..measure.compare.compared_functions import Report
    from ..observe.observer import Observer
    from .magic_line_options import Options

# A function that traces the target in a namespace, and returns a message if the trace fails.
Trace = Callable[[dict[str, Any], "Options"], str | None]


def sweep_named(
    observer: Observer,
    namespace: dict[str, Any],
    chosen: Options,
    observation: Observation,
    report: Report,
    trace: Trace | None,
) -> tuple[Sweep | None, str | None]:
    """Run the sweep that the magic's line requests.

    Args:
        observer: The observer; it records nothing during the sweep.
        namespace: The user's namespace.
        chosen: The options of the line, with a target and a sweep.
        observation: The observation, to which the program at the first value and findings are added.
        report: Called with the progress of the sweep.
        trace: Adds the program at the first value; None if the observation has it already.

    Returns:
      (sweep, None), or (None, sentence on why there is no sweep).
    """
    target, swept = chosen.target, chosen.sweep
    assert target is not None and swept is not None
    tier = observer.hooks.support
    if tier.tier == "none":
        return None, tier.note
    if not imported():
        return None, _cannot(observation, "JAX is not imported, so the sweep did not run. Import JAX in the cell.")
    values = Values(swept.name, swept.values, target, namespace)
    functions = functions_of(target, chosen.compare, namespace)
    missing = next((function.missing for function in functions if function.missing is not None), None)
    if missing is not None and all(function.missing is not None for function in functions):
        return None, _cannot(observation, f"--sweep: {missing}")
    observer.hooks.ensure()
    if trace is not None:
        _add_program(values, chosen, trace)
    return sweep(observer, functions, values, report=report), None


def _add_program(values: Values, chosen: Options, trace: Trace) -> None:
    """Add the program at the first value.

    If the trace fails, the points of the sweep have the reason, so no message is needed.
    """
    text = values.texts[0]
    try:
        value = values.value(text)
    except not_of_a_signal(Exception):
        return
    at = replace(values.target, text=f"{values.target.text} with {values.name} = {text}")
    trace({**values.namespace, values.name: value}, replace(chosen, target=at))


def _cannot(observation: Observation, text: str) -> str:
    observation.findings.append(Finding(kind="sweep", text=text))
    return text
