"""Explains a FrozenDict of flax that the code changes in place, or that a call combines with a plain dict."""

from __future__ import annotations

import ast
import re
from typing import Any

from ....observe.observation import FoundCure
from ....plain_text import message_of, own_name
from ..explanation import Explained
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

_IMMUTABLE = re.compile(r"^FrozenDict is immutable")
_NO_UPDATE = re.compile(r"^'FrozenDict' object has no attribute '(update|setdefault|clear)'")
_TEXT = "The entries of a FrozenDict of flax cannot be changed."


def is_frozen_dict(value: Any) -> bool:
    """Return whether a value is a FrozenDict of flax."""
    kind = type(value)
    return own_name(kind, "__name__") == "FrozenDict" and (own_name(kind, "__module__") or "").startswith("flax.")


def frozen_dict_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains variables["params"] = params and variables.update(...), where variables is a FrozenDict."""
    text = message_of(error).strip()
    if raised is None or raised.frame is None:
        return None
    if isinstance(error, ValueError) and _IMMUTABLE.match(text):
        return _write(raised)
    if isinstance(error, AttributeError) and (match := _NO_UPDATE.match(text)):
        return _update(raised, match[1])
    return None


def _write(raised: RaisedAt) -> Explained | None:
    statement = raised.statement_of(raised.node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Subscript) or statement is None:
        return None
    root: ast.expr = targets[0]
    while isinstance(root, ast.Subscript | ast.Attribute) and not is_frozen_dict(value_of(raised, root)):
        root = root.value
    if not is_frozen_dict(value_of(raised, root)):
        return None
    source = raised.source(root)
    line = " ".join(raised.source(statement).split())
    title = f"The FrozenDict {source} cannot be changed in place"
    title = f"{title}: {line}" if len(line) <= 60 else title
    code = f"{source} = {source}.unfreeze()\n{raised.source_of_statement(statement)}"
    words = f"unfreeze makes a dict with the entries of {source}, and the next line can change this dict."
    return Explained(None, title, _TEXT, (FoundCure("unfreeze", code, words),))


def _update(raised: RaisedAt, name: str) -> Explained | None:
    node = raised.node.func if isinstance(raised.node, ast.Call) else raised.node
    if not isinstance(node, ast.Attribute) or not is_frozen_dict(value_of(raised, node.value)):
        return None
    source = raised.source(node.value)
    title = f"The FrozenDict {source} cannot be changed in place and has no {name}"
    call = raised.parents.get(id(node))
    code = None
    if name == "update" and isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
        code = f"{source} = {source}.copy({raised.source(call.args[0])})"
    words = f"copy makes a new FrozenDict from {source}, with added or changed entries."
    return Explained(None, title, _TEXT, (FoundCure("copy", code, words),))
