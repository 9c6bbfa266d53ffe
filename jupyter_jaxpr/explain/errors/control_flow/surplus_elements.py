"""Makes the cures for a loop body that returns one element more than the carry has: leave out this element."""

from __future__ import annotations

import ast
from dataclasses import replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of
from .carry_expressions import assigned_value, returned_carry
from .dropped_carries import places_of_elements, unpacked_carry
from .loop_bodies import Body, passed_in_body
from .returned_leaves import short_source

_TWICE = (
    "The carry has {count} elements, and {function} returns {returned}: {element} twice. Leave out the second "
    "{element}."
)
_ONE = (
    "The carry has {count} elements, and {function} returns {returned}. Leave out {element}: the other elements have "
    "the types of the carry."
)
_SEVERAL = "The carry has {count} elements, and {function} returns {returned}. Leave out one of {elements}."
_MOST = 6  # a body with more elements than these has no trials


def surplus_cure(raised: RaisedAt, start: ast.expr, body: Body | None, loop: str) -> tuple[FoundCure, bool] | None:
    """Return the cure that leaves out the surplus element of a returned carry, and whether no other cure is meant.

    An element that the body returns twice needs no other cure. Any other element may be one that the user collects.

    Args:
        raised: The call of the loop.
        start: The expression of the initial carry.
        body: The body of the loop; None if unknown.
        loop: The name of the loop.
    """
    first = assigned_value(raised, start)
    result = returned_carry(result_of(body.function), loop) if body is not None else None
    if body is None or not isinstance(first, ast.Tuple) or not isinstance(result, ast.Tuple):
        return None
    elements = result.elts
    starred = any(isinstance(part, ast.Starred) for part in [*first.elts, *elements])
    if starred or len(elements) != len(first.elts) + 1 or not 3 <= len(elements) <= _MOST:
        return None
    sources = [short_source(raised, element) for element in elements]
    repeated = [place for place, source in enumerate(sources) if source in sources[:place]]
    if len(repeated) > 1 or any(isinstance(elements[place], ast.Constant) for place in repeated):
        return None
    words = _TWICE if repeated else _ONE
    name = getattr(body.function, "name", "the body")
    numbers = {"count": len(first.elts), "function": name, "returned": len(elements)}
    is_in_parentheses = raised.source(result).startswith("(")
    tried: list[tuple[str, FoundCure]] = []
    for place in repeated or range(len(elements)):
        code = ", ".join(raised.source(element) for number, element in enumerate(elements) if number != place)
        code = f"({code})" if is_in_parentheses else code
        text = words.format(element=sources[place], **numbers)
        cure = applied(FoundCure("one element fewer", code, text), [edit_of(raised, over(result, code))])
        passing = passed_in_body(raised, body.function, [cure])
        tried += [(sources[place], new) for new in passing if new.code is not None]
    if len(tried) == 1:
        return tried[0][1], bool(repeated)
    if not tried:
        return None
    names = unpacked_carry(body, loop)
    places = places_of_elements(elements, names)
    others = [source for source, place in zip(sources, places, strict=True) if place is None]
    continued = [place for place in places if place is not None]
    if len(others) == 1 and continued == list(range(len(names))):
        return next(((new, False) for source, new in tried if source == others[0]), None)
    text = _SEVERAL.format(elements=in_a_sentence([source for source, _ in tried], _MOST), **numbers)
    return replace(tried[0][1], code=None, text=text, level="advice", edits=()), False
