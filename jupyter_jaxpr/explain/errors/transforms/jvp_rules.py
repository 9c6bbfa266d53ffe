"""Explains a rule of custom_jvp that takes its arguments one by one: JAX passes two tuples."""

from __future__ import annotations

from ....observe.observation import FoundCure
from ....plain_text import file_of, message_of
from ..explanation import Explained
from ..failing_code.place_of_error import RaisedAt

_FILE = "custom_derivatives.py"


def jvp_rule_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an operation on a tuple in a rule of custom_jvp, if the tuple is one of the rule's two tuples."""
    if raised is None or not isinstance(error, TypeError | AttributeError):
        return None
    if not any(part in message_of(error) for part in ("tuple", "can't multiply sequence")):
        return None
    users = [frame for frame in (*raised.callers, raised.frame) if frame is not None]
    traceback, previous = error.__traceback__, ""
    while traceback is not None:
        frame = traceback.tb_frame
        if frame in users and previous.endswith(_FILE):
            names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
            locals_of_rule = [frame.f_locals.get(name) for name in names]
            values = [value for value in locals_of_rule if type(value) is tuple]
            if len(values) == len(names) == 2 and _uses(raised, len(values[0])):
                name = frame.f_code.co_name
                rule = "rule" if name == "<lambda>" else f"rule {name}"
                title = f"The {rule} of a custom_jvp gets two tuples: the arguments and their tangents"
                text = f"{names[0]} is the tuple of the arguments, and {names[1]} is the tuple of their tangents."
                words = f"Take the elements out of both tuples in the first line of the {rule}."
                code = f"({names[0]},), ({names[1]},) = {names[0]}, {names[1]}" if len(values[0]) == 1 else None
                return Explained(None, title, text, (FoundCure("the elements", code, words),))
        previous = file_of(frame.f_code)
        traceback = traceback.tb_next
    return None


def _uses(raised: RaisedAt, number: int) -> bool:
    """Return whether the failing function has a tuple of this length in a variable.

    The length is compared, because JAX makes a new tuple when the rule passes it to a function of custom_jvp.
    """
    locals_of_frame = raised.frame.f_locals if raised.frame is not None else {}
    return any(type(local) is tuple and len(local) == number for local in locals_of_frame.values())
