"""Writes the entry of in_axes for an argument that is a dict, a list or a tuple."""

from __future__ import annotations

from typing import Any

_MOST_LEAVES = 12


def entry_of(value: Any, axis: int) -> str | None:
    """Return the entry of in_axes for a container: the given axis for each array, None for each number.

    None if the container has too many leaves, an unknown element, or an array that has axes, but not the given one.
    """
    import jax

    leaves = jax.tree_util.tree_leaves(value, is_leaf=lambda part: part is None)
    return _entry(value, axis) if 0 < len(leaves) <= _MOST_LEAVES else None


def _entry(value: Any, axis: int) -> str | None:
    if type(value) in (bool, int, float, complex):
        return "None"
    if type(value) is dict and value and all(type(key) in (str, int) for key in value):
        entries = [_entry(element, axis) for element in value.values()]
        texts = [f"{key!r}: {entry}" for key, entry in zip(value, entries, strict=True)]
        code = f"{{{', '.join(texts)}}}"
    elif type(value) in (list, tuple) and value:
        entries = [_entry(element, axis) for element in value]
        inside = ", ".join(map(str, entries))
        code = f"[{inside}]" if type(value) is list else f"({inside}{',' * (len(entries) == 1)})"
    else:
        shape = getattr(value, "shape", None)
        if type(shape) is not tuple:
            return None
        return "None" if not shape else str(axis) if axis < len(shape) else None
    if None in entries:
        return None
    return entries[0] if len(set(entries)) == 1 else code
