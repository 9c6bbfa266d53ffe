"""Makes the cure of out_axes=(0, 1) of vmap, where the mapped function does not return two results."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, chosen, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from .transformed_calls import Applied

_LENGTHS = re.compile(r"of type \w+ of length (?P<entries>\d+), but .*? of length (?P<results>\d+)")
_ARRAY = re.compile(
    r"has a subtree of type\s+<class '(?:tuple|list)'>.*?of different type\s+<class '[^']*(?:ArrayImpl|Leaf|Tracer)'"
)
_ONE_ENTRY_FOR_EACH_RESULT = "out_axes has one entry for each result of the function."


def out_axes_cures(raised: RaisedAt | None, mismatch: str) -> list[FoundCure]:
    """Return the cure that writes one entry in out_axes for each result.

    Empty if the code has no tuple or list in out_axes.

    Args:
        raised: Where the error was raised.
        mismatch: JAX's sentence about the difference of out_axes and the results.
    """
    call = Applied(raised)
    option = call.option("out_axes")
    if raised is None or not isinstance(option, ast.Tuple | ast.List) or not option.elts:
        return []
    entries = [raised.source(entry) for entry in option.elts]
    if _ARRAY.search(mismatch):
        words = "The function returns one array, so out_axes has one entry."
        if len(set(entries)) == 1:
            return _tried(raised, option, entries[0], words)
        return [_choice(raised, option, "AXIS", f"{words} Set AXIS to the position of the mapped axis in the result.")]
    lengths = _LENGTHS.search(mismatch)
    if lengths is None or int(lengths["entries"]) != len(entries):
        return []
    number = int(lengths["results"])
    if number <= len(entries):
        return _tried(raised, option, _tuple(entries[:number]), _ONE_ENTRY_FOR_EACH_RESULT)
    if number - len(entries) > 1:
        return []
    words = f"{_ONE_ENTRY_FOR_EACH_RESULT} Set AXIS to the position of the mapped axis in the last result."
    return [_choice(raised, option, _tuple([*entries, "AXIS"]), words)]


def _tuple(entries: list[str]) -> str:
    return f"({', '.join(entries)}{',' if len(entries) == 1 else ''})"


def _tried(raised: RaisedAt, option: ast.expr, code: str, words: str) -> list[FoundCure]:
    cure = FoundCure("out_axes", f"out_axes={code}", words)
    return passed(raised, [applied(cure, [edit_of(raised, over(option, code))])])


def _choice(raised: RaisedAt, option: ast.expr, code: str, words: str) -> FoundCure:
    return chosen(FoundCure("out_axes", f"out_axes={code}", words), [edit_of(raised, over(option, code))])
