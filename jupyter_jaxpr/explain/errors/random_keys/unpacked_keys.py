"""Explains `a, b = key`: one key has no parts, and jax.random.split makes several keys of one."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import random_name
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt


def unpacked_key_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an assignment of one key to several names, and a loop over one key."""
    if raised is None or raised.frame is None or not isinstance(error, TypeError):
        return None
    if not message_of(error).startswith("iteration over a 0-d key array"):
        return None
    title = "One random key cannot be unpacked, and has no elements to loop over"
    random = random_name(raised)
    words = f"{random}.split makes several new keys from one key."
    statement = raised.statement_of(raised.node)
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=key) if dtype_of(value_of(raised, key)):
            number = "" if len(names) == 2 else f", {len(names)}"
            code = f"{random}.split({raised.source(key)}{number})"
        case ast.For(iter=key) if dtype_of(value_of(raised, key)):
            words = f"{random}.split({raised.source(key)}, number) makes an array of keys, which a loop can read."
            return Explained(None, title, operands(raised, [key]), (FoundCure("split", None, words),))
        case _:
            return Explained(None, title, "", (FoundCure("split", None, words),))
    cure = applied(FoundCure("split", code, words), [edit_of(raised, over(key, code))])
    return Explained(None, title, operands(raised, [key]), tuple(passed(raised, [cure])))
