"""Finds values that changed after the trace of a function that JAX answered from its cache.

JAX keys a program by the arguments alone. What a function reads from outside of its arguments is read during the
trace, and the program keeps the value: the most common surprise of `jax.jit`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..observe.cell_run import Run
from ..observe.kept_contents import array_text
from ..observe.observation import Finding
from ..observe.values_at_trace import ChangedSince, ValuesAtTrace

#: Notes on one function: more say nothing new.
_NOTES = 5

_TITLE = "{name} changed after the trace"
_KEEPS = "A call of {function} that finds a cache entry does not read {name} again. The call computes with {kept}."
_ONE_KEEPS = (
    "A call of {function} that finds a cache entry does not read {name} again. JAX may have several entries of "
    "{function}: a call that finds the entry of this trace computes with {kept}."
)
_PLAIN = "{name} was {before} when JAX last traced {function}, and is {after} now."
_ANOTHER = "{name} is another {kind} than when JAX last traced {function}."
_STATIC = (
    "{static} is a static argument of {function}: JAX compares {static} by its __eq__ and __hash__, which do not show "
    "the change."
)
_PASS = "Pass {name} to {function} as an argument."
_PASS_NO_STATIC = (
    "Pass {name} to {function} as an argument, or give {static} an __eq__ and a __hash__ that compare {name}, and "
    "replace {static} by a new object in place of changing it."
)
_AGAIN = "Run the cell that defines {function} again. JAX then traces {function} with the new {name}."


def stale_values(run: Run) -> list[Finding]:
    """A finding for each value that changed, of the functions whose calls found a cache entry in a run."""
    findings: list[Finding] = []
    for activity in run.functions.values():
        traced: ValuesAtTrace | None = activity.record.at_trace
        if traced is not None and activity.calls > activity.misses:
            findings += _findings(activity.record.name, traced, activity.record.has_several)
    return findings


def _findings(function: str, traced: ValuesAtTrace, has_several: bool) -> Iterator[Finding]:
    for value in traced.changed()[:_NOTES]:
        yield Finding(
            kind="stale_value",
            title=_TITLE.format(name=value.name),
            text=_text(function, value, has_several),
            cure=_cure(value).format(name=value.name, function=function, static=value.of_static),
            function=function,
            place=value.place,
        )


def _cure(value: ChangedSince) -> str:
    if value.of_static is not None:
        return _PASS_NO_STATIC
    return _AGAIN if value.after.kind == "function" else _PASS


def _text(function: str, value: ChangedSince, has_several: bool) -> str:
    name, before, after = value.name, array_text(value.before), array_text(value.after)
    if before != after:
        sentence, kept_value = _PLAIN.format(name=name, before=before, after=after, function=function), before
    else:
        kind = _KINDS.get(value.after.kind, "object")
        sentence, kept_value = _ANOTHER.format(name=name, kind=kind, function=function), f"the {kind} of the trace"
    # The values are those of the last trace, and a hit may be of an entry of another trace.
    keeps = (_ONE_KEEPS if has_several else _KEEPS).format(function=function, name=name, kept=kept_value)
    if value.of_static is None:
        return f"{sentence} {keeps}"
    return f"{sentence} {_STATIC.format(static=value.of_static, function=function)} {keeps}"


_KINDS = {"Array": "array", "ndarray": "array", "function": "function"}
