"""Finds the edits that prevent a cache miss. Each edit has passed a trial in which both calls had the same cache key.

The trial traces copies of the user's functions, with types in place of arrays; nothing is computed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

from ...interruptions import not_of_a_signal
from ...observe.cache.closest_key import compare
from ...observe.cache.history_of_one_function import FunctionHistory, MissEvent
from ...observe.cache.reason import Reason
from ...observe.observation import FoundCure
from ...observe.reprs_of_users_values import NOTHING_CALLED
from ...plain_text import FAILURES
from ..errors.failing_code.edits import edited, shown
from ..trials.trial_time_limit import Budget
from .calls_in_source_code import text_of
from .cure_by_equal_arguments import SAME_CALL_STYLE, argument_cure
from .cure_by_making_once import MADE_ONCE, made_once
from .unchanged_outside_values import reads_the_machine, reads_the_same

#: The names of all cures that are edits; each has a row in `tests/miss_table/`.
NAMES = ("one type", "one structure", SAME_CALL_STYLE, MADE_ONCE)
_LOOKED_AT = 32


def miss_cures(
    event: MissEvent, history: FunctionHistory, names: Mapping[str, Any], budget: Budget
) -> tuple[FoundCure, ...]:
    """Return the cures of a miss that edit the source code and pass their trial.

    Args:
        event: The call that missed; its reasons are known.
        history: The history of the called function.
        names: The present values of the names in the cell; the trial never changes them.
        budget: The time that is left for trials.
    """
    if not event.reasons or event.construct is not None or event.key is None or event.key.traced or not event.place:
        return ()
    try:
        names = _names_of(event.place.file, names)
        if [reason.kind for reason in event.reasons] == ["new_function"]:
            cure = made_once(event, history, names, budget)
        else:
            before, fun = _closest(event, history), _function(event, history)
            cure = None
            is_same = fun is not None and reads_the_same(fun, history) and not reads_the_machine(fun)
            if before is not None and is_same:
                cure = argument_cure(event, before, fun, history, names, budget)
        return () if cure is None or not _is_python(cure) else (shown(cure),)
    except not_of_a_signal(*FAILURES):  # if this module cannot read the source code or an object, there is no cure
        return ()


def _is_python(cure: FoundCure) -> bool:
    """Return whether the source code is valid Python after the edits, which are all in one file."""
    (file,) = {edit.place.file for edit in cure.edits}
    text = text_of(file)
    assert text is not None
    try:
        compile(edited("\n".join(text.loops.lines), cure.edits), file, "exec", dont_inherit=True)
    except not_of_a_signal(SyntaxError, ValueError):
        return False
    return True


def _names_of(file: str, names: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the global names of a source file: those of the loaded module, or, for a cell, those of the notebook."""
    for module in list(sys.modules.values()):
        module_names = module.__dict__ if type(module) is ModuleType else {}
        if module_names.get("__file__") == file:
            return module_names
    return names


def _function(event: MissEvent, history: FunctionHistory) -> Any:
    """Return the user's plain function that was jitted. None if the function no longer exists, or is a wrapper."""
    reference = history.alive.get(event.function_object)
    fun = None if reference is None else reference()
    return fun if type(fun) is FunctionType and not hasattr(fun, "__wrapped__") else None


def _facts(reasons: Sequence[Reason]) -> list[tuple[str | None, ...]]:
    """Return what reasons say, without their sentences."""
    return [(reason.kind, reason.argument, reason.before, reason.after) for reason in reasons]


def _closest(event: MissEvent, history: FunctionHistory) -> MissEvent | None:
    """Return the earlier call with which the reasons of the miss compare the call. None if there is none."""
    key = event.key
    assert key is not None
    earlier = [
        old
        for old in history.events
        if old.number < event.number and old.function_object == event.function_object and old.made_entry
    ]
    for old in list(reversed(earlier))[:_LOOKED_AT]:
        if old.key is None or old.key.traced or not old.key.options.equals(key.options):
            continue
        if _facts(compare(old.key, key, NOTHING_CALLED)) == _facts(event.reasons or ()):
            return old
    return None
