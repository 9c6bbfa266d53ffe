"""Learns how the JAX of this process names the variables of a printed jaxpr: the file prints one jaxpr and reads it."""

from __future__ import annotations

import re
from typing import Any

from ..document.printed_variable_names import NAMING
from ..document.types.document import Naming
from ..interruptions import not_of_a_signal
from ..jax.facts import imported
from ..jax.unheard import unheard

_learned: list[Naming] = []


def learn_naming() -> Naming:
    """Learn how the JAX of this process names variables; it prints one small jaxpr, once.

    The function starts no backend, runs nothing, and does not import JAX if the cell did not import JAX. Where JAX
    gives no answer, or does not jit at the moment, the function returns the rules of the tested versions.
    """
    if not imported():
        return NAMING
    if not _learned:
        try:
            with unheard():
                learned = _learn()
        except not_of_a_signal(Exception):  # JAX is not installed, or this JAX prints other names
            learned = NAMING
        if learned is None:
            return NAMING
        _learned.append(learned)
    return _learned[0]


def _learn() -> Naming | None:
    """Print a jaxpr and read the naming rules from it; return None under `jax.disable_jit`, where no jaxpr is made."""
    import jax

    def twelve(x: Any) -> Any:
        for _ in range(12):
            x = jax.lax.neg(x)
        return x

    @jax.jit
    def inner(y: Any) -> Any:
        return jax.lax.neg(y)

    value = jax.ShapeDtypeStruct((), "float32")
    # In a notebook and in a terminal JAX writes codes for colours between `lambda` and the names.
    small = jax.make_jaxpr(lambda x: inner(x))(value).pretty_print(use_color=False)
    large = jax.make_jaxpr(lambda x: jax.jit(twelve)(x))(value).pretty_print(use_color=False)
    if "jit[" not in small:
        return None
    binders = re.findall(r"lambda ; (\w+):", small)
    return Naming(
        share_jit_names=len(binders) == 2 and binders[0] == binders[1],
        hoist_above=10 if large.lstrip().startswith("let ") else 0,
    )
