"""Makes a document for each field of a saved document and each wrong value of the field.

Random changes rarely meet a field whose limits the two readers check differently; these documents meet every field.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOUND = Path(__file__).parent / "documents" / "everything-0.12.json"
#: The entries of a list that are changed one by one; longer lists repeat the form of these entries.
ENTRIES = 40
#: The numbers and texts in a short list, such as those of a frame, are changed one by one up to this position.
POSITIONS = 8


def documents() -> Iterator[str]:
    """Yield the changed documents as JSON."""
    sound = json.loads(SOUND.read_text(encoding="utf-8"))
    seen = set()
    for path, value in places(sound, ()):
        is_scalar = isinstance(value, int | float | str)
        kind = tuple(
            key if isinstance(key, str) or (place == len(path) - 1 and is_scalar and key < POSITIONS) else "*"
            for place, key in enumerate(path)
        )
        if not path or (kind, type(value)) in seen:
            continue
        seen.add((kind, type(value)))
        for wrong in wrong_values(value):
            changed = copy.deepcopy(sound)
            parent = changed
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = wrong
            yield json.dumps(changed)


def places(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the place and the value of every field, a field before the fields inside it."""
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for position, inner in enumerate(value[:ENTRIES]):
            yield from places(inner, (*path, position))


def wrong_values(value: Any) -> tuple[Any, ...]:
    """Return values of other types, and numbers at the ends of the ranges."""
    if isinstance(value, bool):
        return (0, None, "x")
    if isinstance(value, int):
        return (-1, -2, 2**53 - 1, 1.5, None, "1", True)
    if isinstance(value, float):
        return (-1.0, 1e30, None, "1", True)
    if isinstance(value, str):
        return ("", None, 3)
    if value is None:
        return (-1, -1.0, "x", [], {})
    return (None, {}, [None], [-1]) if isinstance(value, list) else (None, [])
