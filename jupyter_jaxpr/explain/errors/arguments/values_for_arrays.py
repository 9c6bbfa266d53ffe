"""Explains a list or a number where a function of JAX reads an attribute of an array, such as `lax.cumsum([1, 2])`."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax

_NO_ATTRIBUTE = re.compile(
    r"^'(list|tuple|range|bool|int|float|complex|str)' object has no attribute "
    r"'(?:shape|dtype|ndim|size|astype|reshape|aval)'"
)
_KINDS_OF_NODES = {"list": ast.List | ast.ListComp, "tuple": ast.Tuple}


def value_for_array_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an attribute of an array that JAX reads of a list or a number, if one argument of the call is such."""
    call = raised.node if raised is not None and raised.frame is not None else None
    match = _NO_ATTRIBUTE.match(message_of(error).strip()) if isinstance(error, AttributeError) else None
    if raised is None or match is None or not isinstance(call, ast.Call) or not was_raised_in_jax(error):
        return None
    if not is_of_jax(value_of(raised, call.func)):
        return None
    kind = match[1]
    values = [node for node in call.args if _is_of_kind(raised, node, kind)]
    if not values:
        return None
    name, source = called(call), " ".join(raised.source(values[0]).split())
    title = f"{name} takes an array, but {source} is a {kind}"
    if len(values) > 1:
        title = f"{name} takes an array, but gets a {kind}"
    words = "Make an array first, for example with jnp.array."
    cure = FoundCure("an array", None, words)
    if len(values) == 1 and kind != "str":
        code = f"{jnp_name(raised)}.array({source})"
        words = f"{jnp_name(raised)}.array makes an array of the {kind}."
        cure = applied(FoundCure("an array", code, words), [edit_of(raised, over(values[0], code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))


def _is_of_kind(raised: RaisedAt, node: ast.expr, kind: str) -> bool:
    """Return whether an argument is certainly a value of a class such as list, as it is written or by its value."""
    if isinstance(node, _KINDS_OF_NODES.get(kind, ast.Constant)):
        return not isinstance(node, ast.Constant) or type(node.value).__name__ == kind
    return type(value_of(raised, node)).__name__ == kind
