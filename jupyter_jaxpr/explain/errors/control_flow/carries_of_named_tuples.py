"""Makes the cure for a loop that starts with a named tuple, and whose body returns a plain tuple of the same values."""

from __future__ import annotations

import ast
import re

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import own_name
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of
from .carry_expressions import returned_carry
from .loop_bodies import Body, passed_in_body

_IS_TUPLE = re.compile(r"input carry \S+ is a <class '(?:\w+\.)*(?P<kind>\w+)'> but .* is a <class 'tuple'>", re.DOTALL)
_FIELDS = (
    "The carry is a named tuple, {kind}, with the fields {fields}. Return {kind} of the new values, not a plain tuple."
)


def named_tuple_carry(raised: RaisedAt, at: RaisedAt, body: Body, loop: str, text: str) -> FoundCure | None:
    """Return the cure that returns a named tuple, such as State(x, v); None for another difference.

    Args:
        raised: The call of the loop.
        at: The place of the body.
        body: The body.
        loop: The name of the loop.
        text: The message of the error.
    """
    match = _IS_TUPLE.search(text)
    kind = namespace(raised).get(match["kind"]) if match is not None else None
    if not isinstance(kind, type) or not issubclass(kind, tuple) or own_name(kind) is None:
        return None
    fields = getattr(kind, "_fields", None)
    carry = returned_carry(result_of(body.function), loop)
    if type(fields) is not tuple or not isinstance(carry, ast.Tuple) or len(carry.elts) != len(fields):
        return None
    if match is None or any(isinstance(part, ast.Starred) for part in carry.elts):
        return None
    code = f"{match['kind']}({', '.join(map(at.source, carry.elts))})"
    words = _FIELDS.format(kind=match["kind"], fields=in_a_sentence([str(field) for field in fields], 6))
    cure = applied(FoundCure(match["kind"], code, words), [edit_of(at, over(carry, code))])
    return next(iter(passed_in_body(raised, body.function, [cure], at)), None)
