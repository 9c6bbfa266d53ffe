"""Finds the function that the user named, in the user's namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import error_text
from ...typed.specs import Target
from .variants import Candidate


def candidate(name: str, namespace: dict[str, Any], where: str = "") -> Candidate:
    """What a name stands for; only attributes are looked up, nothing is called.

    Args:
        name: Such as `f` or `model.apply`.
        namespace: Of the user.
        where: Of the name in what the user typed, such as ` after --compare`.

    Returns:
        Without a function, and with a sentence, where there is none of that name.
    """
    first, *attributes = name.split(".")
    if first not in namespace:
        return Candidate(name, missing=f"{first} is not defined. Define {first} in this cell or in an earlier cell.")
    found = namespace[first]
    for attribute in attributes:
        try:
            found = getattr(found, attribute)
        except not_of_a_signal(Exception) as error:
            return Candidate(name, missing=f"{error_text(error)}. Correct the name{where}.")
    if not callable(found):
        kind = type(found).__name__
        return Candidate(name, missing=f"{name} is not a function: its type is {kind}. Name a function{where}.")
    return Candidate(name, found)


def functions_of(target: Target, names: Sequence[str], namespace: dict[str, Any]) -> list[Candidate]:
    """The functions to sweep over: those named, or else the target's own."""
    if names:
        return [candidate(name, namespace) for name in names]
    text = target.function_text
    try:
        fun = target.function(namespace)
    except NameError as error:
        name = error.name or text
        return [Candidate(text, missing=f"{name} is not defined. Define {name} in this cell or in an earlier cell.")]
    except not_of_a_signal(Exception) as error:
        return [Candidate(text, missing=f"{text} raised {error_text(error)}. Correct the call.")]
    if not callable(fun):
        kind = type(fun).__name__
        return [Candidate(text, missing=f"{text} is not a function: its type is {kind}. Name a function.")]
    return [Candidate(text, fun)]
