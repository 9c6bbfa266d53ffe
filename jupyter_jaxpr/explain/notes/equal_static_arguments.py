"""Finds calls that used a program traced with a different static value, because JAX treats the two values as equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...joined_names import in_a_sentence
from ...observe.calls.hits_with_equal_statics import StaticHit
from ...observe.observation import Finding
from .stale_values import CHANGED_AFTER_TRACE, HIT_KEEPS, WAS_AT_HIT, cure_of_static, how_static_is_found

_TITLE = "JAX treats {after} and {before} as one value of the static argument {name}"
_TITLE_OF_PART = "Two values of the static argument {static} are equal, and {name} differs"
_VALUE = (
    "JAX traced {function} with {name} = {before}. This call passes {name} = {after}. The two values are equal in "
    "Python, so JAX used the cached program for {before}."
)
_OBJECT = (
    "{name} was {before} when JAX traced {function}, and is {after} in this call. The __eq__ of {kind} says that the "
    "two objects are equal, so JAX used the cached program for {before}."
)
_CHANGED_OBJECT = (
    "{name} was {before} when JAX traced {function}, and is {after} in this call. After the trace, the code changed "
    "the static argument in place. JAX still has the cached program of that trace, and the changed object is equal to "
    "the argument of this call. So the call used that program, which computes with {before}."
)
_PASS_SIGN = "If the sign of zero matters, pass {name} as an argument that is not static."
_PASS_ONE_TYPE = "If the types of the numbers matter, pass {name} with numbers of one type in every call."
_COMPARE = "Let the __eq__ of {kind} compare {name}, or pass {name} to {function} as an argument."
_TELL_APART = (
    "If the difference matters, let the __eq__ of {kind} tell the two values apart, or pass {name} to {function} as an "
    "argument."
)
_REPLACE = (
    "Replace a static object by a new object in place of changing it, or pass {name} to {function} as an argument."
)
_CHANGED_SINCE = f"{WAS_AT_HIT} {{found}} {HIT_KEEPS}"
_CHANGED_AMONG = (
    "A later call of this run, at which {name} was {after}, used a cached program with one of these earlier values of "
    "{name}: {before}. {found}"
)
_AMONG = (
    "{name} is {after} in this call, but JAX used a cached program with one of these earlier values of {name}: "
    "{before}. JAX chose that program because its static argument is equal to the static argument of this call."
)


def equal_statics(hits: Sequence[StaticHit], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield a finding for each call that used a program traced with another value of a static argument.

    Args:
        hits: The calls that `static_hits` found, each with both values of the static argument.
        known: The findings so far; a value that changed after the trace gets no second finding.
    """
    stale = {(finding.function, finding.changed) for finding in known if finding.changed is not None}
    for hit in hits:
        found = how_static_is_found(hit.static, hit.function, hit.is_named_by_eq)
        is_certain = len(hit.before) == 1
        facts = {**hit._asdict(), "found": found, "before": in_a_sentence(hit.before, 4)}
        facts["value_at_trace"] = facts["before"]
        if hit.relation == "same":
            if (hit.function, hit.name) not in stale:
                yield Finding(
                    kind="stale_value",
                    title=CHANGED_AFTER_TRACE.format(name=hit.name),
                    text=(_CHANGED_SINCE if is_certain else _CHANGED_AMONG).format(**facts),
                    cure=cure_of_static(hit.name, hit.static, hit.function, hit.is_named_by_eq),
                    function=hit.function,
                    place=hit.read,
                    changed=hit.name,
                )
            continue
        if hit.relation == "value":
            if not is_certain:
                continue
            title, text, cure = _TITLE, _VALUE, _PASS_ONE_TYPE if hit.types_differ else _PASS_SIGN
        elif hit.relation == "changed":
            title, text, cure = _TITLE_OF_PART, _CHANGED_OBJECT if is_certain else _AMONG, _REPLACE
        else:
            title, text, cure = _TITLE_OF_PART, _OBJECT if is_certain else _AMONG, _COMPARE
            if hit.is_named_by_eq:
                cure = _TELL_APART
        yield Finding(
            kind="equal_static",
            title=title.format(**facts),
            text=text.format(**facts),
            cure=cure.format(**facts),
            function=hit.function,
            place=hit.call,
        )
