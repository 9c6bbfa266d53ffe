"""Explains a Sequential that gets its layers one by one, or in a list, where its library takes the other form."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of, own_name
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

_TOO_MANY = re.compile(r"__init__\(\) takes (?:2|from 1 to 2|from 2 to \d) positional arguments but \d+ were given")
_LISTED = re.compile(
    r"Found (?:data|Arrays) on value of type '?<class '(?:list|tuple)'>'? assigned to static attribute '0'"
)


def sequential_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains nn.Sequential(a, b) of flax.linen and equinox, and nnx.Sequential([a, b])."""
    call = raised.node if raised is not None and raised.frame is not None else None
    if raised is None or not isinstance(call, ast.Call) or called(call) != "Sequential":
        return None
    module = own_name(value_of(raised, call.func), "__module__") or ""
    if module.partition(".")[0] not in ("flax", "equinox"):
        return None
    message = message_of(error).strip()
    source = raised.source(call.func)
    if isinstance(error, TypeError) and _TOO_MANY.search(message) and not call.keywords and len(call.args) > 1:
        code = f"{source}([{', '.join(map(raised.source, call.args))}])"
        words = "Write brackets around the layers."
        title = f"{source} takes its layers as one list"
    elif isinstance(error, ValueError) and _LISTED.search(message) and len(call.args) == 1 and not call.keywords:
        code = f"{source}(*{raised.source(call.args[0])})"
        if isinstance(call.args[0], ast.List | ast.Tuple):
            code = f"{source}({', '.join(map(raised.source, call.args[0].elts))})"
        words = "Pass each layer as an argument of its own."
        title = f"{source} takes its layers one by one, not in a list"
    else:
        return None
    cure = applied(FoundCure("the layers", code, words), [edit_of(raised, over(call, code))])
    text = "A Sequential calls each layer with the result of the layer before."
    return Explained(None, title, text, tuple(passed(raised, [cure])) or (FoundCure("the layers", None, words),))
