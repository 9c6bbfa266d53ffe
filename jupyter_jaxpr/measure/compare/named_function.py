"""Finds the function that a user's text names, in the user's namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import error_text
from ...typed.targets_and_array_types import Target
from .compared_functions import Candidate

UNDEFINED_NAME = "{name} is not defined. Define {name} in this cell or in an earlier cell."


def candidate(name: str, namespace: dict[str, Any], after_option: str = "") -> Candidate:
    """Return the function with a name; only attributes are read, nothing is called.

    Args:
        name: The name, such as `f` or `model.apply`.
        namespace: The user's namespace.
        after_option: Where the name stands in the user's text, as the end of a sentence, such as ` after --compare`.

    Returns:
        The candidate; if the name has no function, a candidate without function that has a sentence.
    """
    first, *attributes = name.split(".")
    if first not in namespace:
        return Candidate(name, missing=UNDEFINED_NAME.format(name=first))
    value = namespace[first]
    for attribute in attributes:
        try:
            value = getattr(value, attribute)
        except not_of_a_signal(Exception) as error:
            return Candidate(name, missing=f"{error_text(error)}. Correct the name{after_option}.")
    if not callable(value):
        kind = type(value).__name__
        return Candidate(name, missing=f"{name} is not a function: its type is {kind}. Name a function{after_option}.")
    return Candidate(name, value)


def functions_of(target: Target, names: Sequence[str], namespace: dict[str, Any]) -> list[Candidate]:
    """Return the functions to sweep: those with the given names, or else the function of the target."""
    if names:
        return [candidate(name, namespace) for name in names]
    text = target.function_text
    try:
        fun = target.function(namespace)
    except NameError as error:
        name = error.name or text
        return [Candidate(text, missing=UNDEFINED_NAME.format(name=name))]
    except not_of_a_signal(Exception) as error:
        return [Candidate(text, missing=f"{text} raised {error_text(error)}. Correct the call.")]
    if not callable(fun):
        kind = type(fun).__name__
        return [Candidate(text, missing=f"{text} is not a function: its type is {kind}. Name a function.")]
    return [Candidate(text, fun)]
