"""Writes findings on values that JAX changes because 64-bit types are off: a changed dtype, or a changed number.

JAX's own warnings do not name the user's line, and Python shows each of them once.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jax.silent_type_and_value_changes import ChangedNumber, TruncatedType
from ...observe.observation import Finding, Place
from ...quantities import count
from .numbers_changed_by_dtype import changed_number_texts

_TITLE_OF_TYPE = "The code asks for {asked_type}, but JAX uses {used_type}"
_TYPE = "This expression asks for {asked_type}, but JAX uses {used_type}: 64-bit types need the setting jax_enable_x64."
_CURE_OF_TYPE = (
    "Write {used_type}, or turn 64-bit types on before anything else uses JAX: "
    'jax.config.update("jax_enable_x64", True).'
)

_TITLE_OF_NUMBER = "JAX converts {given_type} to {used_type}, and a value does not fit into {used_type}"
_TAKES = "JAX takes a NumPy array here as {used_type}: 64-bit types need the setting jax_enable_x64."
_NUMBER = (
    f"{_TAKES} The value {{value}} does not fit into {{used_type}} and becomes {{value_in_jax}}.{{more_values_changed}}"
)
_CURE_OF_NUMBER = (
    "Use values that fit into {used_type}, or turn 64-bit types on before anything else uses JAX: "
    'jax.config.update("jax_enable_x64", True).'
)

_TITLE_OF_EQUAL = "JAX converts {given_type} to {used_type}, and different values become equal"
_EQUAL = (
    f"{_TAKES} The array has {{before}} "
    "different values in {given_type} and {after} in {used_type}: {value} and {other_value} become equal."
)
_CURE_OF_EQUAL = (
    "Subtract a common value from the array before JAX takes the array, such as the first time of a series, or turn "
    'jax_enable_x64 on before anything else uses JAX: jax.config.update("jax_enable_x64", True).'
)


def truncated_types(truncated: Mapping[Place, TruncatedType]) -> list[Finding]:
    """Return a finding for each expression of the user's that asks for one dtype, and gets another one from JAX."""
    return [
        Finding(
            kind="truncated_type",
            title=_TITLE_OF_TYPE.format(asked_type=taken_type.asked, used_type=taken_type.taken),
            text=_TYPE.format(asked_type=taken_type.asked, used_type=taken_type.taken),
            cure=_CURE_OF_TYPE.format(used_type=taken_type.taken),
            place=place,
        )
        for place, taken_type in truncated.items()
    ]


def changed_numbers(numbers: Mapping[Place, ChangedNumber]) -> list[Finding]:
    """Return a finding for each expression of the user's with a number that JAX changed to fit its dtype."""
    return [_finding(place, number) for place, number in numbers.items()]


def _finding(place: Place, number: ChangedNumber) -> Finding:
    if number.is_python:
        return _python_number(place, number)
    if number.different is not None:
        return _values_made_equal(place, number, *number.different)
    return Finding(
        kind="changed_value",
        title=_TITLE_OF_NUMBER.format(given_type=number.given, used_type=number.taken),
        text=_NUMBER.format(
            used_type=number.taken,
            value=number.value,
            value_in_jax=number.became,
            more_values_changed=f" {count(number.others, 'more value')} changed." if number.others else "",
        ),
        cure=_CURE_OF_NUMBER.format(used_type=number.taken),
        place=place,
    )


def _values_made_equal(place: Place, number: ChangedNumber, before: int, after: int) -> Finding:
    return Finding(
        kind="changed_value",
        title=_TITLE_OF_EQUAL.format(given_type=number.given, used_type=number.taken),
        text=_EQUAL.format(
            given_type=number.given,
            used_type=number.taken,
            before=f"{before:,}",
            after=f"{after:,}",
            value=number.value,
            other_value=number.became,
        ),
        cure=_CURE_OF_EQUAL,
        place=place,
    )


def _python_number(place: Place, number: ChangedNumber) -> Finding:
    title, text, cure = changed_number_texts(number)
    return Finding(kind="changed_value", title=title, text=text, cure=cure, place=place)
