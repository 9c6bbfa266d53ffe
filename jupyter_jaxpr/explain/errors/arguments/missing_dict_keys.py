"""Explains the KeyError of a dict that has no such key, and names the closest key."""

from __future__ import annotations

import ast
import difflib

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

#: The explanation lists at most this many keys of the dict.
_MOST = 12
#: An edit writes the closest key only if its similarity to the wrong key (`SequenceMatcher.ratio`) is at least this.
_SURE = 0.8
#: The explanation names the closest key only if its similarity to the wrong key (from 0 to 1) is at least this.
_SIMILAR = 0.3


def missing_key(raised: RaisedAt) -> Explained | None:
    """Return the explanation of `holder[key]` with a constant key that the dict lacks; None for other code."""
    node = raised.node
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return None
    holder, source = value_of(raised, node.value), raised.source(node.value)
    if type(holder) is not dict or node.slice.value in holder:
        return None
    texts = [repr(key) for key in holder if type(key) in (str, int)]
    ending = ", ..." if len(texts) > _MOST else ""
    title = f"{source} has no key {node.slice.value!r}"
    listed_keys = ", ".join(texts[:_MOST]) + ending
    explanation = f"The keys of {source} are {listed_keys}." if texts else f"{source} has no keys."
    named = [key for key in holder if type(key) is str]
    close_names = difflib.get_close_matches(str(node.slice.value), named, 1, _SIMILAR)
    written = str(node.slice.value)
    close_names = [key for key in named if key.lower() == written.lower()] or close_names
    if not close_names:
        return Explained(None, title, explanation)
    words = f"{source} has a similar key: {close_names[0]!r}."
    cure = FoundCure("a key", None, words)
    if difflib.SequenceMatcher(None, close_names[0].lower(), written.lower()).ratio() >= _SURE:
        code = f"{source}[{close_names[0]!r}]"
        tried = passed(raised, [applied(FoundCure("a key", code, words), [edit_of(raised, over(node, code))])])
        cure = next(iter(tried), cure)
    return Explained(None, title, explanation, (cure,))
