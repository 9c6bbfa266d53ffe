"""Finds values that a jitted function read during its trace, and that changed before a call used the program again.

JAX finds a cached program by the arguments alone. A value from elsewhere, such as a global, is read only during the
trace, and becomes a part of the program: the most common surprise of `jax.jit`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...jax.constructs_outside_jit import Construct
from ...observe.calls.hits_with_old_values import OldValueHit
from ...observe.cell_run import FunctionActivity, Run
from ...observe.observation import Finding
from ...observe.outside_values.changes_since_trace import ChangedSince, ValuesAtTrace
from ...observe.outside_values.kept_contents import array_text

#: There are at most this many notes on one function.
_NOTES = 5

CHANGED_AFTER_TRACE = "{name} changed after the trace"
NOT_READ_AGAIN = "A call of {function} that finds a cache entry does not read {name} again."
_KEEPS = f"{NOT_READ_AGAIN} The call computes with {{value_at_trace}}."
_REUSED = (
    "A call of {function} in this run used this trace: the call did not read {name} again and computed with "
    "{value_at_trace}."
)
_MAYBE = (
    f"{NOT_READ_AGAIN} JAX may have several cached programs of {{function}}: a call that uses the program of this "
    "trace computes with {value_at_trace}."
)
_CACHED = (
    "JAX took this trace of {inner} from its cache when JAX traced {function}, so {function} computes with "
    "{value_at_trace}."
)
_LAST_PLAIN = "{name} was {before} when JAX last traced {function}, and is {after} now."
_LAST_ANOTHER = "{name} is another {kind} than when JAX last traced {function}."
_ONE_PLAIN = "{name} was {before} in one of the traces of {function}, and is {after} now."
_ONE_ANOTHER = "{name} is now another {kind} than when JAX made one of the traces of {function}."
WAS_AT_HIT = "{name} was {before} when JAX traced {function}, and was {after} at a later call of this run."
_ANOTHER_AT_HIT = "{name} was another {kind} at a later call of this run than when JAX traced {function}."
HIT_KEEPS = (
    "The later call found the entry of that trace, did not read {name} again and computed with {value_at_trace}."
)
_STATIC = (
    "{static} is a static argument of {function}: JAX compares {static} by its __eq__ and __hash__, which do not show "
    "the change."
)
_STATIC_BY_HASH = (
    "{static} is a static argument of {function}: for the same object, JAX compares only the __hash__, which did not "
    "change."
)
_PASS = "Pass {name} to {function} as an argument."
_PASS_EACH = "Pass {name} to {function} in each call, in place of the default value."
_PASS_STATIC = "Pass {name} to {function} as a static argument: JAX compiles once for each value."
_STATIC_IF = "Make the argument static if {function} needs a Python number, as for a shape or a range."
_PASS_OF = "Pass the value of {name}, which {reader} reads, to {function} as an argument."
_PASS_NO_STATIC = (
    "Pass {name} to {function} as an argument. Or give the class of {static} an __eq__ and a __hash__ that "
    "compare {name}, and make a new object in place of changing {static}."
)
_PASS_NO_HASH = (
    "Pass {name} to {function} as an argument. Or give the class of {static} a __hash__ that depends on {name}, and "
    "make a new object in place of changing {static}."
)
_CARRY = "Make {name} a part of the carry of {function}, which JAX gets anew in each call."
_OPERAND = "Pass {name} to {function} as an operand, which JAX gets anew in each call."
_AGAIN = "Run the cell that defines {function} again. JAX then traces {function} with the new {name}."
_BOTH_AGAIN = (
    "Run the cells that define {inner} and {function} again. JAX then traces both functions with the new {name}."
)


class _Wording(NamedTuple):
    """The sentences of a finding: how the value changed, and with which value the calls computed."""

    plain: str
    another: str
    keeps: str


_ONLY_PROGRAM = _Wording(_LAST_PLAIN, _LAST_ANOTHER, _KEEPS)
_REUSED_PROGRAM = _Wording(_ONE_PLAIN, _ONE_ANOTHER, _REUSED)
_PERHAPS_REUSED = _Wording(_LAST_PLAIN, _LAST_ANOTHER, _MAYBE)
_AT_HIT = _Wording(WAS_AT_HIT, _ANOTHER_AT_HIT, HIT_KEEPS)
_FROM_CACHE = _Wording(_ONE_PLAIN, _ONE_ANOTHER, _CACHED)


def stale_values(run: Run) -> list[Finding]:
    """Return a finding for each value that changed after a trace, if a call of the run used the trace's program."""
    findings: list[Finding] = []
    for activity in run.functions.values():
        name, construct = activity.record.name, activity.record.construct
        for traced, wording in _traces(run, activity):
            findings += _findings(name, _before_a_call(run, traced), wording, construct)
        for program, is_new, _ in activity.programs.values():
            if is_new and program.at_trace is not None:
                values = [value for value in _before_a_call(run, program.at_trace) if value.cached is not None]
                findings += _findings(name, values, _ONLY_PROGRAM, construct)
    return list(dict.fromkeys(findings))


def _before_a_call(run: Run, traced: ValuesAtTrace) -> list[ChangedSince]:
    """Return the values that changed since a trace, without those that changed after the last call of its program."""
    hits = run.old_value_hits
    changes = traced.changed()
    return [change for change in changes if hits is None or not hits.had_no_old_value(traced, change.name)]


def old_values_at_hits(hits: Iterable[OldValueHit], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield a finding for each value that only some calls of the run computed with after a change.

    Args:
        hits: The calls, each with the old and the new value.
        known: The findings so far; a value that is still changed at the end of the run gets no second finding.
    """
    stale = {(finding.function, finding.changed) for finding in known if finding.changed is not None}
    for hit in hits:
        if (hit.function, hit.change.name) not in stale:
            yield from _findings(hit.function, [hit.change], _AT_HIT, hit.construct)


def _traces(run: Run, activity: FunctionActivity) -> Iterator[tuple[ValuesAtTrace, _Wording]]:
    """Yield the traces whose programs later calls used, with the sentences for each.

    Traces that a call certainly used come before traces that a call may have used.
    """
    reused = list(activity.programs_reused.values())
    uncertain: list[ValuesAtTrace] = []
    for record, hits in activity.objects_with_hits():
        if record.has_several:
            looks = None if run.hit_programs is None else run.hit_programs.of(record)
            if record.at_trace is not None and hits > (0 if looks is None else looks.told):
                uncertain.append(record.at_trace)
        else:
            reused += record.programs.values()
    is_only = not activity.record.has_several and _is_of_last_trace(activity)
    certain = list(dict.fromkeys(program.at_trace for program in reused if program.at_trace is not None))
    for traced in certain:
        yield traced, _ONLY_PROGRAM if is_only else _REUSED_PROGRAM
    for traced in uncertain:
        if traced not in certain:
            yield traced, _PERHAPS_REUSED


def _is_of_last_trace(activity: FunctionActivity) -> bool:
    """Return whether the programs of a run are of the function's last trace.

    Several function objects, such as the method of several objects, share one activity, and each has a trace of its
    own.
    """
    if activity.record.construct is not None:
        return len(activity.programs) == 1
    records = [activity.record, *(record for record, _ in activity.objects_with_hits())]
    return all(record.history is None or record.history[1] == record.history[0].objects - 1 for record in records)


def _findings(
    function: str, changes: Sequence[ChangedSince], wording: _Wording, construct: Construct | None = None
) -> Iterator[Finding]:
    for value in changes[:_NOTES]:
        yield Finding(
            kind="stale_value",
            title=CHANGED_AFTER_TRACE.format(name=value.name),
            text=_text(function, value, wording),
            cure=_cure(function, value, construct, wording),
            function=function,
            place=value.place,
            changed=value.name,
        )


def _cure(function: str, value: ChangedSince, construct: Construct | None, wording: _Wording) -> str:
    if construct is not None:
        return (_OPERAND if construct.primitive == "cond" else _CARRY).format(name=value.name, function=function)
    if value.of_static is not None:
        return cure_of_static(value.name, value.of_static, function, value.is_named_by_eq)
    if value.of_default is not None and value.cached is None:
        return _PASS_EACH.format(name=value.of_default, function=function)
    if value.after.kind == "function" and wording is _AT_HIT:
        return _PASS_STATIC.format(name=value.name, function=value.cached or function)
    if value.after.kind == "function":
        again = _AGAIN if value.cached is None else _BOTH_AGAIN
        return again.format(name=value.name, function=function, inner=value.cached)
    traced = value.cached or function
    if {value.before.kind, value.after.kind} <= _ONLY_STATIC:
        return _PASS_STATIC.format(name=value.name, function=traced)
    reader = value.place.function
    # in another method, `self` is a name that the traced function does not have
    if value.name.startswith("self.") and reader and traced not in reader.split("."):
        passed = _PASS_OF.format(name=value.name, reader=reader, function=traced)
    else:
        passed = _PASS.format(name=value.name, function=traced)
    is_whole = {value.before.kind, value.after.kind} == {"int"}
    return f"{passed} {_STATIC_IF.format(function=traced)}" if is_whole else passed


def _text(function: str, value: ChangedSince, wording: _Wording) -> str:
    name, before, after = value.name, array_text(value.before), array_text(value.after)
    traced = value.cached or function
    if value.cached is not None:
        wording = _FROM_CACHE
    if before != after:
        sentence, value_at_trace = wording.plain.format(name=name, before=before, after=after, function=traced), before
    else:
        kind = _KINDS.get(value.after.kind, "object")
        sentence = wording.another.format(name=name, kind=kind, function=traced)
        value_at_trace = f"the {kind} from the time of the trace"
    keeps = wording.keeps.format(function=function, name=name, value_at_trace=value_at_trace, inner=value.cached)
    if value.of_static is None:
        return f"{sentence} {keeps}"
    return f"{sentence} {how_static_is_found(value.of_static, function, value.is_named_by_eq)} {keeps}"


def how_static_is_found(static: str, function: str, is_named_by_eq: bool) -> str:
    """Return the sentence on why a call finds the cache entry of a static argument that was changed in place.

    Args:
        static: The name of the argument.
        function: The name of the function.
        is_named_by_eq: True if the `__eq__` of the argument's class compares the changed attribute.
    """
    return (_STATIC_BY_HASH if is_named_by_eq else _STATIC).format(static=static, function=function)


def cure_of_static(name: str, static: str, function: str, is_named_by_eq: bool) -> str:
    """Return the cure for a static argument that was changed in place.

    The arguments are those of `how_static_is_found`.
    """
    return (_PASS_NO_HASH if is_named_by_eq else _PASS_NO_STATIC).format(name=name, static=static, function=function)


#: Kinds of values that Python code reads, as in an `if`: the code could not read a traced argument.
_ONLY_STATIC = frozenset({"bool", "str", "NoneType"})
_KINDS = {"Array": "array", "ndarray": "array", "function": "function"}
