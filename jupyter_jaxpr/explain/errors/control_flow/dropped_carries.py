"""Makes the cure for a loop body that unpacks the carry into several names and does not return all of these names."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of
from .carry_expressions import returned_carry
from .loop_bodies import Body, passed_in_body
from .scan_results import follows


def dropped_carry(raised: RaisedAt, body: Body | None, loop: str) -> FoundCure | None:
    """Return the cure that returns each name of the carry; None if the body returns other values than these names.

    For example, a body with `x, v, e = carry` that ends with `return (x, v), e` drops e from the carry.

    Args:
        raised: The call of the loop.
        body: The body of the loop; None if unknown.
        loop: The name of the loop.
    """
    names = unpacked_carry(body, loop)
    carry = returned_carry(result_of(body.function), loop) if body is not None else None
    if body is None or carry is None or len(names) < 2:
        return None
    parts = carry.elts if isinstance(carry, ast.Tuple) else [carry]
    places = places_of_elements(parts, names)
    if not 0 < len(parts) < len(names) or None in places or sorted(set(map(str, places))) != sorted(map(str, places)):
        return None
    values = {place: raised.source(part) for place, part in zip(places, parts, strict=True)}
    if list(values) != sorted(place for place in values if place is not None):
        return None
    dropped = [name for place, name in enumerate(names) if place not in values]
    if loop == "scan" and not isinstance(carry, ast.Tuple) and not drops_names(body):
        return None
    names_in_body = [node for node in ast.walk(body.function) if isinstance(node, ast.Name)]
    stores = [node.id for node in names_in_body if isinstance(node.ctx, ast.Store)]
    # The condition of a while_loop may wait for a change of a value that the body does not change.
    is_unchanged = loop == "while_loop" and any(stores.count(name) < 2 for name in dropped)
    missing = in_a_sentence(dropped)
    code = ", ".join(values.get(place, name) for place, name in enumerate(names))
    is_in_pair = loop == "scan"
    code = f"({code})" if is_in_pair or raised.source(carry).startswith("(") else code
    words = f"Return {missing}, too: the carry of the next step needs each name of the carry."
    cure = applied(FoundCure("all names of the carry", code, words), [edit_of(raised, over(carry, code))])
    tried = next(iter(passed_in_body(raised, body.function, [cure])), None)
    return replace(tried, level="advice", edits=()) if tried is not None and is_unchanged else tried


def drops_names(body: Body) -> bool:
    """Return whether the second value that a scan body returns reads no name of the carry that the first one drops."""
    result, names = result_of(body.function), unpacked_carry(body, "scan")
    if not isinstance(result, ast.Tuple) or len(result.elts) != 2 or len(names) < 2:
        return False
    place = places_of_elements(result.elts[:1], names)[0]
    read = {node.id for node in ast.walk(result.elts[1]) if isinstance(node, ast.Name)}
    kept = [name for number, name in enumerate(names) if number != place]
    is_new = any(follows(result.elts[1], name) for name in kept)
    return place is not None and not is_new and not read & set(kept)


def places_of_elements(elements: Sequence[ast.expr], names: list[str]) -> list[int | None]:
    """Return the place of the carry's name that each returned element continues, such as n for n + 1 or new_n.

    None for an element that continues no name of the carry, or that reads several names.
    """
    places: list[int | None] = []
    for element in elements:
        following = [place for place, name in enumerate(names) if follows(element, name)]
        read = {node.id for node in ast.walk(element) if isinstance(node, ast.Name)}
        found = following or [place for place, name in enumerate(names) if name in read]
        places.append(found[0] if len(found) == 1 else None)
    return places


def unpacked_carry(body: Body | None, loop: str) -> list[str]:
    """Return the names into which the body unpacks its carry; empty if the code is unclear."""
    place = 1 if loop == "fori_loop" else 0
    if body is None or place >= len(body.parameters):
        return []
    for node in ast.walk(body.function):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Name(id=read)) if read == body.parameters[place]:
                names = [part.id for part in parts if isinstance(part, ast.Name)]
                return names if len(names) == len(parts) else []
    return []
