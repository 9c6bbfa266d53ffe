"""Functions that JAX answered from its cache in, the values that changed since their last trace out.

JAX keys a program by the arguments alone. What a function reads from outside of its arguments is read during the
trace, and the program keeps the value: the most common surprise of `jax.jit`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..observe.cache.closed_over import ChangedValue
from ..observe.functions import code_of, unwrap
from ..observe.observation import Finding
from ..observe.run import Run
from ..observe.values_at_trace import ValuesAtTrace, changed_since
from .leaks import line_of

#: Notes on one function: more say nothing new.
_NOTES = 5

_TITLE = "{name} changed after the trace"
_KEEPS = "A call of {function} that finds a cache entry does not read {name} again. The call computes with {kept}."
_PLAIN = "{name} was {before} when JAX last traced {function}, and is {after} now."
_ANOTHER = "{name} is another {kind} than when JAX last traced {function}."
_PASS = "Pass {name} to {function} as an argument."
_AGAIN = "Run the cell that defines {function} again. JAX then traces {function} with the new {name}."


def stale_values(run: Run) -> list[Finding]:
    """A finding for each value that changed, of the functions whose calls found a cache entry in a run."""
    findings: list[Finding] = []
    for activity in run.functions.values():
        traced: ValuesAtTrace | None = activity.record.at_trace
        if traced is not None and activity.calls > activity.misses:
            findings += _findings(activity.record.name, traced)
    return findings


def _findings(function: str, traced: ValuesAtTrace) -> Iterator[Finding]:
    code = code_of(unwrap(traced.function()))
    for value in changed_since(traced)[:_NOTES]:
        place = None if code is None else line_of(code, value.name.partition("[")[0].rpartition(".")[2])
        yield Finding(
            kind="stale_value",
            title=_TITLE.format(name=value.name),
            text=_text(function, value),
            cure=(_AGAIN if value.after.code is not None else _PASS).format(name=value.name, function=function),
            function=function,
            place=place,
        )


def _text(function: str, value: ChangedValue) -> str:
    name = value.name
    if value.before.text is not None and value.after.text is not None:
        before, after = value.before.text, value.after.text
        said, kept = _PLAIN.format(name=name, before=before, after=after, function=function), before
    else:
        kind = "array" if value.after.kind == "array" else "function"
        said, kept = _ANOTHER.format(name=name, kind=kind, function=function), f"the {kind} of the trace"
    return f"{said} {_KEEPS.format(function=function, name=name, kept=kept)}"
