"""Changes the `if` of a caller together with the function whose result the caller tests."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.trial_in_callers import is_tested, traced_caller
from ...trials.trial_of_error_cure import passed
from ..failing_code.place_of_error import RaisedAt
from .rewritten_if_while_for import Choices

_TESTED = "Line {line} tests the result of {call}, so this line changes, too."


def with_test_of_caller(raised: RaisedAt, cures: Sequence[FoundCure], is_differentiated: bool) -> list[FoundCure]:
    """Return cures that also change the `if` of the caller.

    The given cures if the caller does not test the result of the failing function, or if no such cure passes its trial.

    Args:
        raised: Where the error was raised.
        cures: The cures of the failing function.
        is_differentiated: Whether the trace is part of a derivative.
    """
    caller = traced_caller(raised)
    if caller is None or not is_tested(caller):
        return [*cures]
    tests = [cure for cure in Choices(caller, is_differentiated).selection() if cure.level == "applies"]
    both = []
    for cure in cures:
        for test in tests if cure.level == "applies" else ():
            assert isinstance(caller.node, ast.Call)
            sentence = _TESTED.format(line=caller.place.line, call=" ".join(caller.source(caller.node).split()))
            words = f"{cure.text} {sentence} {test.text}"
            both.append(replace(cure, name=test.name, text=words, edits=(*cure.edits, *test.edits)))
    found = [cure for cure in passed(raised, both) if cure.level == "applies"]
    return found or [*cures]
