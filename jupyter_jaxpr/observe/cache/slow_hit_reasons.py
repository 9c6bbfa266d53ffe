"""Words why each later call of a function is a slow hit: JAX has no fast path for the function."""

from __future__ import annotations

import re
from collections.abc import Sequence


def without_fast_path(name: str, effects: Sequence[str]) -> str:
    """Return a sentence that says why each later call of a function is a slow hit.

    Args:
        name: The name of the function.
        effects: JAX's names of the program's effects; () if the cause is unknown.
    """
    effects_text = ", ".join(effects)
    if not effects:
        return f"Each later call of {name} is a slow hit: JAX gives {name} no fast path, and the cause is unknown."
    if all(re.match("Read|Write|Accum", effect) for effect in effects):
        return (
            f"Each later call of {name} is a slow hit: JAX has no fast path for a function that reads or writes a "
            f"mutable reference from outside of the function ({effects_text})."
        )
    return (
        f"Each later call of {name} is a slow hit: JAX has no fast path for a function with effects, such as those of "
        f"a callback ({effects_text})."
    )
