"""Explains checkify.check in a function that checkify.checkify does not transform."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import edit_of, over
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text

_NOT_TRANSFORMED = re.compile(r"^Cannot abstractly evaluate a checkify\.check which was not functionalized")
_TITLE = "checkify.check works only within checkify.checkify"
_TEXT = "checkify.checkify makes a function that returns two values: the error of a failed check, and the result."


def check_without_checkify_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains checkify.check in a jitted function; marks the check if the function has only one."""
    if not isinstance(error, ValueError) or not _NOT_TRANSFORMED.match(message_of(error).strip()):
        return None
    call = raised.node if raised is not None else None
    words = "Then call error.throw(), which raises the error of a failed check."
    if raised is None or not isinstance(call, ast.Call):
        return Explained(None, _TITLE, _TEXT, (FoundCure("checkify.checkify", None, f"Use checkify. {words}"),))
    source = " ".join(raised.source(call.func).split())
    arguments = " ".join(raised.source(call).split())[len(source) :]
    users_function = function_of_text(raised, call.func)
    checks = (
        [node for node in ast.walk(users_function) if called(node) == "check"] if users_function is not None else []
    )
    place, text = None, _TEXT
    if len(checks) == 1:
        place = edit_of(raised, over(checks[0], "")).place
        text = f"Line {call.lineno} calls {source} without checkify.checkify. {_TEXT}"
    code = f"error, result = checkify.checkify({source}){arguments}\nerror.throw()"
    words = "checkify also takes a jitted function. error.throw() raises the error of a failed check."
    return Explained(place, _TITLE, text, (FoundCure("checkify.checkify", code, words),))
