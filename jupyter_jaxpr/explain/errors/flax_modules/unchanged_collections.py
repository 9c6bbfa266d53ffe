"""Explains a call of `apply` that updates a collection, such as batch_stats, without naming it in `mutable`."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..message_tables.setting_messages import MUTABLE_COLLECTIONS, UNCHANGED_COLLECTION

_IMMUTABLE = re.compile(r'Cannot update variable "(\w+)" in ".*?" because collection "(\w+)" is immutable')


def unchanged_collection_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an update of a collection that `apply` does not allow.

    The cure adds `mutable` to the user's call of `apply`.
    """
    match = _IMMUTABLE.search(message_of(error))
    if match is None or raised is None or raised.frame is None:
        return None
    at = next((place for place in _places(raised) if called(place.node) in ("apply", "apply_fn")), None)
    call = at.node if at is not None else None
    if at is None or not isinstance(call, ast.Call) or any(keyword.arg == "mutable" for keyword in call.keywords):
        return None
    variable, collection = match[1], match[2]
    title = UNCHANGED_COLLECTION.format(variable=variable, collection=collection)
    text = MUTABLE_COLLECTIONS
    words = "With the argument mutable, apply returns a pair: the result, and a dict of the updated collections."
    code = f"{at.source(call)[:-1].rstrip().rstrip(',')}, mutable=['{collection}'])"
    statement = at.parents.get(id(call))
    cure = FoundCure("mutable", code, words)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if value is call:
            updated = next(n for n in ("updated", "updated_variables", "updated_") if n not in at.module_names)
            line = f"{name}, {updated} = {code}"
            edits = [edit_of(at, over(target, f"{name}, {updated}")), edit_of(at, over(call, code))]
            cures = passed(at, [applied(FoundCure("mutable", line, words), edits)])
            return Explained(at.place, title, text, tuple(cures or [cure]))
    return Explained(at.place, title, text, (cure,))


def _places(raised: RaisedAt) -> list[RaisedAt]:
    return [raised, *(at_caller(raised, frame) for frame in reversed(raised.callers))]
