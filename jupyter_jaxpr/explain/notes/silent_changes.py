"""Writes findings on changes that JAX makes without a clear message: changed dtypes, and donations without a use.

JAX's own warnings name neither the user's line nor the argument, and Python shows each of them once. JAX gives no
message at all if it converts the carry of a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...jax.silent_change_hooks import ChangedNumber, DonatedArgument, PromotedCarry, TruncatedType, UnusedDonation
from ...observe.observation import Finding, Place
from ...quantities import count

_TITLE_OF_TYPE = "The code asks for {asked}, but JAX uses {taken}"
_TYPE = "This expression asks for {asked}, but JAX uses {taken}: 64-bit types need the setting jax_enable_x64."
_CURE_OF_TYPE = (
    'Write {taken}, or turn 64-bit types on before anything else uses JAX: jax.config.update("jax_enable_x64", True).'
)

_TITLE_OF_NUMBER = "A value of the type {given} does not fit the type {taken}"
_NUMBER = (
    "JAX takes a NumPy array here as {taken}: 64-bit types need the setting jax_enable_x64. The value "
    "{value} does not fit {taken} and becomes {became}.{others}"
)
_CURE_OF_NUMBER = (
    "Use values that fit {taken}, or turn 64-bit types on before anything else uses JAX: "
    'jax.config.update("jax_enable_x64", True).'
)

_TITLE_OF_CARRY = "The type of a carry of this loop changes from {began} to {returned}"
_CARRY = (
    "The initial carry of this loop is {began} with a weak type, as that of a Python number, and the body returns "
    "{returned}. JAX converts the initial carry to {dtype}, and traces the body a second time."
)
_CURE_OF_CARRY = "Begin the carry with the type {dtype}, such as jnp.asarray(value, jnp.{dtype})."

_TITLE_OF_DONATION = "No result uses the memory of {path}, which {function} donates"
_TITLE_OF_UNNAMED = "No result uses the memory of an argument that {function} donates"
_DONATION = "{function} donates {path} ({type}), but no result can use the memory of {path}. {reason}"
_DONATION_OF_UNNAMED = (
    "{function} donates an argument of the type {type}, but no result can use the memory of the argument. {reason}"
)
_NO_RESULT = "No result has the type {type}. {results}"
_RESULTS = ("The program has no result.", "The result is {}.", "The results are {}.")
_TAKEN = "Each result of this type uses the memory of another donated argument."
_NOT_ON_PLATFORM = "The platform does not support donation."
_CURE_OF_DONATION = "Do not donate {path}, or return an array of the type {type}, such as the new {path}."
_CURE_WHERE_TAKEN = "Do not donate {path}."
_CURE_OF_UNNAMED = "Do not donate the argument, or return an array of the type {type}."
_CURE_OF_UNNAMED_TAKEN = "Do not donate the argument."
_MOST = 4


def truncated_types(truncated: Mapping[Place, TruncatedType]) -> list[Finding]:
    """Return a finding for each expression of the user's that asks for one dtype, and gets another one from JAX."""
    return [
        Finding(
            kind="truncated_type",
            title=_TITLE_OF_TYPE.format(asked=taken_type.asked, taken=taken_type.taken),
            text=_TYPE.format(asked=taken_type.asked, taken=taken_type.taken),
            cure=_CURE_OF_TYPE.format(taken=taken_type.taken),
            place=place,
        )
        for place, taken_type in truncated.items()
    ]


def changed_numbers(numbers: Mapping[Place, ChangedNumber]) -> list[Finding]:
    """Return a finding for each expression of the user's with a number that JAX changed to fit its dtype."""
    return [
        Finding(
            kind="changed_value",
            title=_TITLE_OF_NUMBER.format(given=number.given, taken=number.taken),
            text=_NUMBER.format(
                taken=number.taken,
                value=number.value,
                became=number.became,
                others=f" {count(number.others, 'more value')} changed." if number.others else "",
            ),
            cure=_CURE_OF_NUMBER.format(taken=number.taken),
            place=place,
        )
        for place, number in numbers.items()
    ]


def promoted_carries(carries: Mapping[Place, PromotedCarry]) -> list[Finding]:
    """Return a finding for each loop whose body JAX traced twice, because JAX converted the initial carry."""
    return [
        Finding(
            kind="promoted_carry",
            title=_TITLE_OF_CARRY.format(began=carry.began, returned=carry.returned),
            text=_CARRY.format(began=carry.began, returned=carry.returned, dtype=carry.dtype),
            cure=_CURE_OF_CARRY.format(dtype=carry.dtype),
            place=place,
            carry=carry,
        )
        for place, carry in carries.items()
    ]


def unused_donations(donations: Mapping[tuple[str, Place | None], UnusedDonation]) -> Iterator[Finding]:
    """Yield a finding for each donated argument whose memory no result can use, because the shapes or dtypes differ."""
    for (function, place), donation in donations.items():
        for argument in donation.arguments[:_MOST]:
            facts = {"function": function, "path": argument.path, "type": argument.type}
            is_curable = not argument.results and donation.is_supported
            if argument.path:
                title, text = _TITLE_OF_DONATION, _DONATION
                cure = _CURE_OF_DONATION if is_curable else _CURE_WHERE_TAKEN
            else:
                title, text = _TITLE_OF_UNNAMED, _DONATION_OF_UNNAMED
                cure = _CURE_OF_UNNAMED if is_curable else _CURE_OF_UNNAMED_TAKEN
            yield Finding(
                kind="unused_donation",
                title=title.format(**facts),
                text=text.format(**facts, reason=_reason(argument, donation)).rstrip(),
                cure=cure.format(**facts),
                function=function,
                place=place,
            )


def _reason(argument: DonatedArgument, donation: UnusedDonation) -> str:
    if not donation.is_supported:
        return _NOT_ON_PLATFORM
    if not argument.results:
        listed = ", ".join(donation.results[:_MOST]) + ", ..." * (len(donation.results) > _MOST)
        results = _RESULTS[min(len(donation.results), 2)].format(listed)
        return _NO_RESULT.format(type=argument.type, results=results)
    return _TAKEN if argument.taken >= argument.results else ""
