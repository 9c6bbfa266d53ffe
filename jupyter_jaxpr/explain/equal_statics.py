"""Finds calls that used a program traced with a different static value, because JAX treats the two values as equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..observe.calls.static_hits import StaticHit
from ..observe.observation import Finding
from ..quantities import in_a_sentence
from .stale_values import cure_of_static, how_static_is_found

_TITLE = "{after} equals {before} as the static argument {name}"
_TITLE_OF_PART = "Two values of the static argument {static} are equal, and {name} differs"
_VALUE = (
    "JAX traced {function} with {name} = {before}. This call passes {name} = {after}. Python says that the two values "
    "are equal, so the call found the entry of that trace and computed with {before}."
)
_OBJECT = (
    "{name} was {before} when JAX traced {function}, and is {after} in this call. The __eq__ of {kind} says that the "
    "two objects are equal, so the call found the entry of that trace and computed with {before}."
)
_CHANGED_OBJECT = (
    "{name} was {before} when JAX traced {function}, and is {after} in this call. The object of the trace was changed "
    "in place since, and its entry stays: this call's object equals the changed object, so the call found the entry of "
    "that trace and computed with {before}."
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
_CHANGED_SINCE = (
    "{name} was {before} when JAX traced {function}, and was {after} at a later call of this run. {found} The later "
    "call found the entry of that trace, did not read {name} again and computed with {before}."
)
_CHANGED_AMONG = (
    "{name} was {after} at a later call of this run, and no trace that the call can have used read this value. {found} "
    "The later call found the entry of an earlier trace and computed with the {name} of that trace, which is one of "
    "{before}."
)
_AMONG = (
    "{name} is {after} in this call, and no trace that the call can have used read this value. JAX found the entry of "
    "an object that equals the object of this call, and the call computed with the {name} of that trace, which is one "
    "of {before}."
)
_STALE = "{name} changed after the trace"


def equal_statics(hits: Sequence[StaticHit], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield a finding for each static value of a call that differs from the value with which its program was traced.

    Args:
        hits: The differences that `static_hits` found.
        known: Earlier findings; what one of them reports is not reported again.
    """
    titles = {(finding.function, finding.title) for finding in known}
    for hit in hits:
        found = how_static_is_found(hit.static, hit.function, hit.is_named_by_eq)
        is_certain = len(hit.before) == 1
        facts = {**hit._asdict(), "found": found, "before": in_a_sentence(hit.before, 4)}
        if hit.relation == "same":
            title = _STALE.format(**facts)
            if (hit.function, title) not in titles:
                yield Finding(
                    kind="stale_value",
                    title=title,
                    text=(_CHANGED_SINCE if is_certain else _CHANGED_AMONG).format(**facts),
                    cure=cure_of_static(hit.name, hit.static, hit.function, hit.is_named_by_eq),
                    function=hit.function,
                    place=hit.read,
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
