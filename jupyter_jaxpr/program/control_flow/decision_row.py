"""Chooses the row of the decision table (which construct to use) that fits a card, or none if no row certainly fits."""

from __future__ import annotations

import ast

from ...interruptions import not_of_a_signal
from ...jax.loop_equations import lowered_scan
from ...quantities import count
from .card import Card
from .limit_of_short_python_loops import SHORT
from .reached_scope import ReachedScope


def choose(card: Card, reached: ReachedScope, derivative: str) -> None:
    """Fill the fields `choice` and `choice_reason` of a card.

    A construct that JAX made for a derivative gets neither, because the user did not choose it.
    """
    if card.library is not None or derivative == "transpose":
        return
    row = _row(card, reached, derivative)
    if row is not None:
        card.choice, card.choice_reason = row


def _row(card: Card, reached: ReachedScope, derivative: str) -> tuple[str, str] | None:
    if card.primitive == "cond":
        return _branch(card, reached)
    if card.kind == "map":
        return "outputs", "Each step of this loop returns an output and does not need the other steps."
    # A library's while_loop that became a scan has only an upper bound of its number of steps in `trips`.
    if card.kind == "while_loop" and (card.trips is None or card.primitive == "scan"):
        return "open", "The number of steps depends on values that are known only at run time."
    if card.kind == "fori_loop" and card.trips is None:
        return "open", "The number of steps is known only at run time."
    if card.trips != 0 and card.kind == "scan" and any(slot.role == "ys" for slot in card.slots):
        if derivative:
            return None  # the stacked outputs may be residuals of the derivative, not the user's
        return "outputs", "Each step of this loop returns an output beside the carry."
    if not card.trips or card.kind == "while_loop":
        return None
    steps = count(card.trips, "step")
    if card.trips <= SHORT:
        return "short", f"The loop has only {steps}. A Python loop is fine too, and XLA can fuse across its iterations."
    if not lowered_scan(card.trips, card.unroll)[0]:
        return None  # JAX unrolls this scan completely, so it saves no more than a Python loop
    return "long", f"The loop has {steps}. A Python loop would unroll its body {card.trips:,} times."


def _branch(card: Card, reached: ReachedScope) -> tuple[str, str] | None:
    if _is_constant(card.predicate_text):
        return "flag", (
            f"{card.predicate_text} is a constant in the code, so the {card.kind} takes the same branch in each run. "
            "Python's if or match needs no program for the other branches."
        )
    if card.predicate_equation < 0 and card.predicate >= 0:
        name = card.predicate_text or "The predicate"
        if not reached.steps:
            return "flag", (
                f"{name} is an argument, not a computed value. A static argument would need no cond, but JAX would "
                "compile once for each of its values."
            )
        return None
    if card.predicate_equation >= 0:
        subject = "The index" if card.kind == "switch" else "The predicate"
        return "branch", f"{subject} is computed from values, and only the taken branch runs."
    return None


def _is_constant(text: str | None) -> bool:
    """Return whether the source of a predicate is a literal of Python, such as True or 2."""
    try:
        return text is not None and type(ast.literal_eval(text)) in (bool, int)
    except not_of_a_signal(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
