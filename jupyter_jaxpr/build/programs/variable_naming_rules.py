"""Finds out how the installed JAX names variables in a printed jaxpr, by printing a small jaxpr and reading it."""

from __future__ import annotations

import re
from typing import Any

from ...document.printed_variable_names import NAMING
from ...document.types.document import Naming
from ...interruptions import not_of_a_signal
from ...jax.facts import imported
from ...jax.hidden_events import unheard

_learned: list[Naming] = []


def learn_naming() -> Naming:
    """Return the rules by which the installed JAX names variables; the first call finds them by printing a small jaxpr.

    The function starts no backend, runs nothing, and does not import JAX if the cell did not import JAX. If the printed
    names are not understood, or under `jax.disable_jit`, the rules of the tested JAX versions are returned.
    """
    if not imported():
        return NAMING
    if not _learned:
        try:
            with unheard():
                learned = _learn()
        except not_of_a_signal(Exception):  # JAX is not installed, or its printed names follow other rules
            learned = NAMING
        if learned is None:
            return NAMING
        _learned.append(learned)
    return _learned[0]


def _learn() -> Naming | None:
    """Print a jaxpr and derive the naming rules; return None under `jax.disable_jit`, where no jaxpr is made."""
    import jax

    def twelve(x: Any) -> Any:
        for _ in range(12):
            x = jax.lax.neg(x)
        return x

    @jax.jit
    def inner(y: Any) -> Any:
        return jax.lax.neg(y)

    value = jax.ShapeDtypeStruct((), "float32")
    # use_color=False, because otherwise JAX prints colour codes between `lambda` and the names
    small = jax.make_jaxpr(lambda x: inner(x))(value).pretty_print(use_color=False)
    large = jax.make_jaxpr(lambda x: jax.jit(twelve)(x))(value).pretty_print(use_color=False)
    if "jit[" not in small:
        return None
    binders = re.findall(r"lambda ; (\w+):", small)
    return Naming(
        share_jit_names=len(binders) == 2 and binders[0] == binders[1],
        hoist_above=10 if large.lstrip().startswith("let ") else 0,
    )
