"""Finds the module of equinox that got a batch in the place of one element: the failing layer, or a model around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..arguments.jit_arguments import packages_of
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, at_caller


def mapped_module(raised: RaisedAt | None) -> FoundCure | None:
    """Return the cure jax.vmap(module)(batch) for the innermost module with which the rest of the code can be traced.

    None if no such module is in the user's code.
    """
    import jax

    for at, call in _calls_of_modules(raised):
        if namespace(at).get("jax") is not jax:
            continue
        code = f"jax.vmap({at.source(call.func)})"
        words = f"{code} takes a batch, and calls the module for each element along axis 0."
        cure = applied(FoundCure("jax.vmap", code, words), [edit_of(at, over(call.func, code))])
        fitting = [tried for tried in passed(at, [cure]) if tried.level == "applies"]
        if fitting:
            return fitting[0]
    return None


def _calls_of_modules(raised: RaisedAt | None) -> Iterator[tuple[RaisedAt, ast.Call]]:
    """Yield (place, call) for the calls of modules of equinox that led to the error, the innermost first."""
    places = [] if raised is None else [raised, *(at_caller(raised, frame) for frame in reversed(raised.callers))]
    for at in places:
        call = at.node
        if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
            if "equinox" in packages_of(value_of(at, call.func)):
                yield at, call
