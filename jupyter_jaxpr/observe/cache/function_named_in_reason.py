"""Tells apart several functions that one history holds, such as `jax.jit(loss)` and `jax.jit(jax.grad(loss))`.

The history of `loss` holds the calls of both functions, which have separate entries in JAX's cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .history_of_one_function import FunctionHistory, MissEvent
from .reason import Reason
from .transform_reasons import under
from .wrappers_named_in_reasons import Wrappers, written

_NAMES_THE_FUNCTION = (
    "first_call",
    "first_observed",
    "new_function",
    "cell_rerun",
    "reloaded",
    "redefined",
    "transform",
    "no_fast_path",
)


def function_label(event: MissEvent, history: FunctionHistory) -> str | None:
    """Return the called function as source code, such as jax.grad(loss).

    Return None if all functions of the history have the same wrappers, or if the wrappers of the called function are
    unknown.
    """
    labels = {_label(history.name, wrappers, is_plain) for wrappers, is_plain in _kinds(history)}
    if len(labels - {None}) < 2:
        return None
    wrappers, is_partial, callable_class = _kind(event)
    return _label(history.name, wrappers, not is_partial and not callable_class)


def with_label(reasons: Sequence[Reason], event: MissEvent, history: FunctionHistory) -> tuple[Reason, ...]:
    """Return the reasons of a miss; the text of each begins with a sentence that names the called function.

    The sentence is left out if all functions of the history have the same wrappers, or if a reason names the function.
    """
    label = function_label(event, history)
    if label is None or event.construct is not None or any(reason.kind in _NAMES_THE_FUNCTION for reason in reasons):
        return tuple(reasons)
    called = f"{label} itself" if label == history.name.strip("<>") else label
    if event.key is not None and event.key.traced:
        called = f"{label} under {under(event.key)}"
    return tuple(replace(reason, text=f"This is a call of {called}. {reason.text}") for reason in reasons)


def is_same_kind(old: MissEvent, new: MissEvent) -> bool:
    """Return whether the function objects of two calls have the same wrappers."""
    return _kind(old) == _kind(new)


def _kind(event: MissEvent) -> tuple[Wrappers, bool, str]:
    first = event.first or event
    return first.wrappers, first.partial is not None, first.callable_class


def _kinds(history: FunctionHistory) -> set[tuple[Wrappers, bool]]:
    return {
        (wrappers, not is_partial and not callable_class) for wrappers, is_partial, callable_class, _ in history.wrapped
    }


def _label(name: str, wrappers: Wrappers, is_plain: bool) -> str | None:
    return written(wrappers, name.strip("<>")) if is_plain else None
