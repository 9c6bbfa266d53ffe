"""Writes findings on donated arguments whose memory no result can use, because the shapes or dtypes differ.

JAX's own warning names neither the user's line nor the argument, and Python shows the warning once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...jax.silent_type_and_value_changes import DonatedArgument, UnusedDonation
from ...observe.observation import Finding, Place

_TITLE_OF_DONATION = "No result uses the memory of {path}, which {function} donates"
_TITLE_OF_UNNAMED = "No result uses the memory of an argument that {function} donates"
_DONATION = "{function} donates {path} ({type}), but no result can use the memory of {path}. {reason}"
_DONATION_OF_UNNAMED = (
    "{function} donates an argument of the type {type}, but no result can use the memory of the argument. {reason}"
)
_NO_RESULT = "No result has the type {type}. {results}"
_RESULTS = (
    "The program has no result.",
    "The result has the type {types_of_results}.",
    "The results have the types {types_of_results}.",
)
_TAKEN = "Each result of this type uses the memory of another donated argument."
_NOT_ON_PLATFORM = "The platform does not support donation."
_CURE_OF_DONATION = "Do not donate {path}, or return an array of the type {type}, such as the new {path}."
_CURE_WHERE_TAKEN = "Do not donate {path}."
_CURE_OF_UNNAMED = "Do not donate the argument, or return an array of the type {type}."
_CURE_OF_UNNAMED_TAKEN = "Do not donate the argument."
#: The most arguments of a call that get a finding, and the most results that a sentence lists.
_MOST = 4


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
        results = _RESULTS[min(len(donation.results), 2)].format(types_of_results=listed)
        return _NO_RESULT.format(type=argument.type, results=results)
    return _TAKEN if argument.taken >= argument.results else ""
