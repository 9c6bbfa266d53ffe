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
_NEEDS_VALUE = "Line {line} tests the result of {call}, and Python needs a value there, too."


def with_test_of_caller(raised: RaisedAt, cures: Sequence[FoundCure], is_differentiated: bool) -> list[FoundCure]:
    """Return cures that also change the `if` of the caller.

    The given cures if the caller does not test the result of the failing function. If no such cure passes its trial,
    those of the given cures that fail in the caller have a remark on the caller.

    Args:
        raised: Where the error was raised.
        cures: The cures of the failing function.
        is_differentiated: Whether the trace is part of a derivative.
    """
    caller = traced_caller(raised)
    if caller is None or not is_tested(caller):
        return [*cures]
    assert isinstance(caller.node, ast.Call)
    line, call = caller.place.line, " ".join(caller.source(caller.node).split())
    tests = [cure for cure in Choices(caller, is_differentiated).selection() if cure.level == "applies"]
    both = []
    for cure in cures:
        for test in tests if cure.level == "applies" else ():
            words = f"{cure.text} {_TESTED.format(line=line, call=call)} {test.text}"
            both.append(replace(cure, name=test.name, text=words, edits=(*cure.edits, *test.edits)))
    found = [cure for cure in passed(raised, both) if cure.level == "applies"]
    remark = _NEEDS_VALUE.format(line=line, call=call)
    return found or [
        cure
        if any(tried.level == "applies" for tried in passed(raised, [cure]))
        else replace(cure, text=f"{cure.text} {remark}")
        for cure in cures
    ]
