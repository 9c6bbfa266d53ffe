"""Joins names to a list that stands in a sentence: ``a, b and c``."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str], most: int) -> str:
    """Return the first names of a list, and how many more there are: ``a, b, c`` or ``a, b and 3 more``."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def in_a_sentence(names: Sequence[str], most: int | None = None) -> str:
    """Return names as a part of a sentence: ``a``, ``a and b``, ``a, b and c``, ``a, b and 3 more``; empty for none."""
    if most is not None and len(names) > most:
        return listed(names, most)
    *first_names, last = names or [""]
    return f"{', '.join(first_names)} and {last}" if first_names else last
