"""Runs `--compare`: compares the named functions on the arguments of a call.

The call is the target in the magic's line, or else the last call of the cell, whose arguments the cell has already
evaluated. A mistake in a name or an argument becomes the error of a variant or a finding, never an exception.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..interruptions import not_of_a_signal
from ..jax.facts import imported
from ..measure.compare.compared_functions import Comparison, Sweep, compare
from ..measure.compare.named_function import candidate
from ..observe.observation import Finding, Observation
from ..plain_text import error_text

if TYPE_CHECKING:
    from ..measure.compare.compared_functions import Variant
    from ..observe.observer import Observer
    from ..typed.observed_cell import LastCall
    from .magic_line_options import Options

_NO_CALL = (
    "--compare needs a call to take the arguments from. End the cell with a call, such as {name}(x), or write the call "
    "in the line of the magic: {magic} --compare {names} {name}(x)."
)


def compare_named(
    observer: Observer,
    namespace: dict[str, Any],
    chosen: Options,
    observation: Observation,
    magic: str,
    last: LastCall | None = None,
) -> tuple[Comparison | None, str | None]:
    """Compare the functions that the magic's line names.

    Returns:
      (comparison, None), or (None, sentence on why there is no comparison).
    """
    tier = observer.hooks.support
    if tier.tier == "none":
        return None, tier.note
    names = ",".join(chosen.compare)
    sweep = None
    if chosen.target is not None:
        call = chosen.target.text
        values = (None,) if chosen.sweep is None else chosen.sweep.values
        calls = []
        for value in values:
            try:
                scope = namespace if chosen.sweep is None else _with(namespace, chosen.sweep.name, value)
                calls.append((value, *chosen.target.arguments(scope)))
            except not_of_a_signal(Exception) as error:
                return None, _cannot(observation, _why_not(error, call, value))
        _, args, kwargs = calls[0]
        if chosen.sweep is not None:
            name = chosen.sweep.name
            other_calls = [(f"{name} = {value}", arguments, keywords) for value, arguments, keywords in calls[1:]]
            sweep = Sweep(f"{name} = {', '.join(chosen.sweep.values)}", other_calls)
            call = f"{call} with {name} = {chosen.sweep.values[0]}"
    elif last is None or not last.returned:
        return None, _cannot(observation, _NO_CALL.format(name=chosen.compare[0], names=names, magic=magic))
    elif not last.is_known:
        why = f"--compare cannot read the values behind the star in {last.text}. Write the call without a star."
        return None, _cannot(observation, why)
    else:
        call, args, kwargs = last.text, tuple(last.args), dict(last.kwargs)
    if not imported():
        return None, _cannot(observation, "JAX is not imported, so nothing was compared. Import JAX in the cell.")
    deleted = _taken_away(args, kwargs)
    if deleted:
        why = (
            f"{call} donated an array, so --compare cannot use that array again. Write a call with new arrays: "
            f"{magic} --compare {names} f(make())."
        )
        return None, _cannot(observation, why)
    observer.hooks.ensure()
    candidates = [candidate(name, namespace, " after --compare") for name in chosen.compare]
    comparison = compare(observer, candidates, args, kwargs, call, sweep=sweep)
    for variant in comparison.variants:
        _add(observation, variant)
    programs = [variant.program for variant in comparison.variants if variant.program is not None]
    if programs:
        observation.focus = programs[0]
    return comparison, None


def _with(namespace: dict[str, Any], name: str, value: str | None) -> dict[str, Any]:
    """Return a copy of the namespace in which the swept name has another value."""
    return {**namespace, name: eval(value or "None", namespace)}


def _taken_away(args: Any, kwargs: Any) -> bool:
    import jax

    leaves = jax.tree_util.tree_leaves((args, kwargs))
    return any(isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in leaves)


def _add(observation: Observation, variant: Variant) -> None:
    """Add the program of a variant to the observation, so that the panel shows it.

    Do nothing if the run has it already.
    """
    function, program = variant.function, variant.program
    if function is None or program is None:
        return
    for function_of_cell in observation.functions:
        for program_of_cell in function_of_cell.programs:
            if program_of_cell.jaxpr is program.jaxpr:  # the cell ran this program, so the observation already has it
                variant.function = replace(function_of_cell, programs=[program_of_cell])
                return
    observation.functions.append(function)


def _cannot(observation: Observation, text: str) -> str:
    observation.findings.append(Finding(kind="compare", text=text))
    return text


def _why_not(error: Exception, call: str, value: str | None) -> str:
    if isinstance(error, NameError) and error.name:
        return f"--compare: {error.name} is not defined. Define {error.name} in this cell or in an earlier cell."
    raised = error_text(error)
    if value is None:
        return f"--compare: the arguments of {call} raised {raised}. Correct the call in the line of the magic."
    return f"--compare: the arguments of {call} raised {raised} for the value {value}. Correct the line of the magic."
