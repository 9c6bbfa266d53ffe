"""Declares the reason of a miss: one difference between a call and the closest earlier call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...joined_names import listed

ReasonKind = Literal[
    "first_call",
    "first_observed",
    "shape",
    "dtype",
    "weak_type",
    "pytree",
    "static_value",
    "static_identity",
    "call_style",
    "argument_type",
    "transform",
    "sharding",
    "committed",
    "layout",
    "config",
    "new_function",
    "cell_rerun",
    "reloaded",
    "redefined",
    "no_fast_path",
    "cleared",
    "unknown",
]


@dataclass(frozen=True)
class Reason:
    """One difference between a call that missed the cache and the closest earlier call.

    Attributes:
        text: the reason as text, in whole sentences.
        argument: the path of the argument, such as p['w']; None if the reason concerns no argument.
        before: the earlier value as a short text, such as f32[10].
        after: the later value; for a first call, the text of the called object if it says more than the function's
            name.
    """

    kind: ReasonKind
    text: str
    argument: str | None = None
    before: str | None = None
    after: str | None = None
    cure: str | None = None

    def __str__(self) -> str:
        return self.text


def one_compile_each(name: str) -> str:
    """Return the cure of a value in the cache key that the user wants to change."""
    return f"Expect one compile for each value of {name}."


def names_text(names: Sequence[str]) -> str:
    """Return the first names of a list as text, and the number of the names that are left out."""
    return listed(names, 4)
