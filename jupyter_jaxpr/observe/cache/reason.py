"""Declares the reason of a miss: one difference between a call and the closest earlier call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...quantities import listed

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
    "no_fast_path",
    "cleared",
    "unknown",
]


@dataclass(frozen=True)
class Reason:
    """One difference that made a call miss the cache."""

    kind: ReasonKind
    text: str  # the reason in whole sentences
    argument: str | None = None  # a path such as p['w'], or None
    before: str | None = None  # the earlier value as short text, such as f32[10]
    after: str | None = None  # for a first call, the name of the called object where this is more than the function
    cure: str | None = None

    def __str__(self) -> str:
        return self.text


def names_text(names: Sequence[str]) -> str:
    """Return the first names of a list, and the number of the further names."""
    return listed(names, 4)
