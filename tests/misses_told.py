"""Reads from a ledger the outcome and the reasons of each miss of a function."""

from __future__ import annotations

from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger
from jupyter_jaxpr.observe.cache.reason import Reason


def told(ledger: Ledger, name: str) -> list[tuple[str, tuple[Reason, ...]]]:
    """Return outcome and reasons of each miss of a function."""
    return [(miss.outcome, miss.reasons) for miss in ledger[name].misses]


def first(name: str) -> tuple[str, tuple[Reason, ...]]:
    return "compiled", (Reason("first_call", f"This is the first call of {name}."),)
