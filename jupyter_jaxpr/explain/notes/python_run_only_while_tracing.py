"""Finds Python code that ran only while JAX traced: calls such as `time.time()`, and changes such as `count += 1`."""

from __future__ import annotations

from collections.abc import Iterable

from ...observe.calls.impure_calls_while_tracing import ImpureCall
from ...observe.calls.kinds_of_impure_functions import Kind
from ...observe.observation import Finding
from ...observe.outside_values.changes_since_trace import ChangedByTrace
from ...observe.outside_values.value_at_path import ABSENT
from .stale_values import NOT_READ_AGAIN

_TITLE = "{name} was called only while JAX traced {function}"
_TEXT = (
    "{name} ran while JAX traced {function}. Later calls of {function} that use the compiled program do not run {name} "
    "again. If the program depends on the result of {name}, all these calls use the result of the trace."
)
_TEXT_OF_LOG = (
    "{name} ran while JAX traced {function}. Later calls of {function} that use the compiled program do not run {name} "
    "again, so this line logs nothing in these calls."
)
_TITLE_OF_VARIABLE = "{name} was read only while JAX traced {function}"
_TEXT_OF_VARIABLE = (
    f"{{name}} was read while JAX traced {{function}}. {NOT_READ_AGAIN} A value of {{name}} that reached the program "
    "is the same in each of these calls."
)
_TEXT_OF_PRINT = (
    "{name} ran while JAX traced {function}. The compiled program of {function} does not run {name}, so this line "
    "prints nothing when the program runs."
)
_TEXTS: dict[Kind, str] = {"variable": _TEXT_OF_VARIABLE, "log": _TEXT_OF_LOG, "print": _TEXT_OF_PRINT}
_CURES: dict[Kind, str] = {
    "clock": "Read the clock outside of {function}, and pass the time to {function} as an argument.",
    "random": (
        "Draw with jax.random from a key that is an argument of {function}, or draw outside of {function} and pass the "
        "numbers as an argument."
    ),
    "log": "To log in each call, use jax.debug.callback with a function that calls {name}.",
    "print": "To print when the program runs, use jax.debug.print.",
    "file": "Read from the file system outside of {function}, and pass the data to {function} as an argument.",
    "input": "Ask for the input outside of {function}, and pass the answer to {function} as an argument.",
    "outside": "Call {name} outside of {function}, and pass the result to {function} as an argument.",
    "iterator": (
        "Take the value from the iterator outside of {function}, and pass the value to {function} as an argument."
    ),
    "variable": "Read the variable outside of {function}, and pass the value to {function} as an argument.",
    "environment": (
        "Read the environment variable outside of {function}, and pass the value to {function} as an argument."
    ),
}


def impure_call_findings(calls: Iterable[ImpureCall]) -> list[Finding]:
    """Return a finding for each impure call, such as `time.time()`, that a traced function made."""
    return [
        Finding(
            kind="frozen_call",
            title=(_TITLE_OF_VARIABLE if call.kind == "variable" else _TITLE).format(
                name=call.name, function=call.function
            ),
            text=_TEXTS.get(call.kind, _TEXT).format(name=call.name, function=call.function),
            cure=_CURES[call.kind].format(function=call.function, name=call.name),
            function=call.function,
            place=call.place,
        )
        for call in calls
    ]


_TITLE_OF_CHANGE = "{name} changed only while JAX traced {function}"
_NOT_RUN_AGAIN = "A call of {function} that finds a cache entry does not run this line, so {name} stays as it is."
_TEXT_OF_CHANGE = f"{{name}} changed from {{before}} to {{after}} while JAX traced {{function}}. {_NOT_RUN_AGAIN}"
_TEXT_OF_FIRST_VALUE = (
    f"{{name}} got the value {{after}} while JAX traced {{function}}, and had no value before. {_NOT_RUN_AGAIN}"
)
_CURE_OF_CHANGE = (
    "Return the new value from {function}, or change {name} outside of {function}. To run Python code in each call, "
    "use jax.debug.callback."
)


def changes_by_traces(changes: Iterable[ChangedByTrace]) -> list[Finding]:
    """Return a finding for each value outside of a traced function that the function changed while JAX traced it."""
    return [
        Finding(
            kind="frozen_change",
            title=_TITLE_OF_CHANGE.format(name=change.name, function=change.function),
            text=(_TEXT_OF_FIRST_VALUE if change.before is ABSENT else _TEXT_OF_CHANGE).format(
                name=change.name, function=change.function, before=change.before.text, after=change.after.text
            ),
            cure=_CURE_OF_CHANGE.format(name=change.name, function=change.function),
            function=change.function,
            place=change.place,
        )
        for change in changes
    ]
