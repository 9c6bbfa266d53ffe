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
    return _computed(card.kind) if card.predicate_equation >= 0 else None


def _computed(kind: str) -> tuple[str, str]:
    subject = "The index" if kind == "switch" else "The predicate"
    return "branch", f"{subject} is computed from values, and only the taken branch runs."


#: Stands for the row of the program itself.
UNCHANGED = ("", "")


def row_outside_of_jit(primitive: str, kind: str, predicate_text: str | None) -> tuple[str, str] | None:
    """Return the row for a construct outside of jit; `UNCHANGED` if the row of its program fits; None for no row.

    The predicate is an input of the program of the construct, and may be a number of Python or the result of other
    operations: the source of the predicate shows which, if the source is no name.

    Args:
        primitive: The primitive of the construct.
        kind: The construct that the user called.
        predicate_text: The source of the predicate; None if unknown.
    """
    if primitive != "cond" or _is_constant(predicate_text):
        return UNCHANGED
    try:
        value = None if predicate_text is None else ast.parse(predicate_text, mode="eval").body
    except not_of_a_signal(ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    is_computed = isinstance(value, ast.Call | ast.Compare | ast.BinOp | ast.UnaryOp | ast.BoolOp)
    return _computed(kind) if is_computed else None


def _is_constant(text: str | None) -> bool:
    """Return whether the source of a predicate is a literal of Python, such as True or 2."""
    try:
        return text is not None and type(ast.literal_eval(text)) in (bool, int)
    except not_of_a_signal(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
