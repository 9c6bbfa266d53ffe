"""Finds which arguments of a call are static: the positions of `static_argnums`, the names of `static_argnames`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...plain_text import exact


def static_places(options: Any, count: int) -> tuple[set[int], set[str]]:
    """Return the positions and the names of the static arguments, for a call with `count` positional arguments."""
    positions = {n + count if n < 0 else n for n in getattr(options, "static_argnums", ()) or ()}
    return positions, set(map(exact, getattr(options, "static_argnames", ()) or ()))


def by_name(kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the keyword arguments; a name that is an object of a subclass of `str` is replaced by an equal `str`."""
    if all(type(name) is str for name in kwargs):
        return kwargs
    return {exact(name): value for name, value in kwargs.items()}
