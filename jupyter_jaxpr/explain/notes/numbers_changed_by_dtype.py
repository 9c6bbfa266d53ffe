"""Writes the sentences on a Python number that JAX changed, because the dtype that the number gets does not hold it."""

from __future__ import annotations

from ...jax.silent_type_and_value_changes import ChangedNumber
from ..errors.message_tables.jax_messages import NUMBER_OUT_OF_RANGE

_TEXT = (
    "JAX converts the number {value} to {type_in_jax} without an error. {value} does not fit into {type_in_jax} and "
    "becomes {value_in_jax}."
)
_CURE = "Use a number that fits into {type_in_jax}, or convert the array to a wider type first."


def changed_number_texts(number: ChangedNumber) -> tuple[str, str, str]:
    """Return the title, the text and the cure of the note on a Python number that does not fit."""
    return (
        NUMBER_OUT_OF_RANGE.format(number=number.value, dtype=number.taken),
        _TEXT.format(value=number.value, type_in_jax=number.taken, value_in_jax=number.became),
        _CURE.format(type_in_jax=number.taken),
    )
