"""Writes findings on loops whose initial carry JAX converts: JAX then traces the body twice, and gives no message."""

from __future__ import annotations

from collections.abc import Mapping

from ...jax.silent_type_and_value_changes import PromotedCarry
from ...observe.observation import Finding, Place

_TITLE = "The type of a carry of this loop changes from {began} to {returned}"
_TEXT = (
    "The initial carry of this loop is {began} with a weak type, like a Python number, and the body returns "
    "{returned}. JAX converts the initial carry to {dtype}, and traces the body a second time."
)
_CURE = "Begin the carry with the type {dtype}, such as jnp.asarray(value, jnp.{dtype})."


def promoted_carries(carries: Mapping[Place, PromotedCarry]) -> list[Finding]:
    """Return a finding for each loop whose body JAX traced twice, because JAX converted the initial carry."""
    return [
        Finding(
            kind="promoted_carry",
            title=_TITLE.format(began=carry.began, returned=carry.returned),
            text=_TEXT.format(began=carry.began, returned=carry.returned, dtype=carry.dtype),
            cure=_CURE.format(dtype=carry.dtype),
            place=place,
            carry=carry,
        )
        for place, carry in carries.items()
    ]
