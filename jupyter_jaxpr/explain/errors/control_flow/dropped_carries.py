"""Makes the cure for a loop body that unpacks the carry into several names and does not return all of these names."""

from __future__ import annotations

import ast

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of
from .carry_expressions import returned_carry
from .loop_bodies import Body, passed_in_body


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
    if body is None or not isinstance(carry, ast.Tuple) or not names or not 0 < len(carry.elts) < len(names):
        return None
    returned = [part.id if isinstance(part, ast.Name) else "" for part in carry.elts]
    if not set(returned) <= set(names) or [name for name in names if name in returned] != returned:
        return None
    dropped = [name for name in names if name not in returned]
    names_in_body = [node for node in ast.walk(body.function) if isinstance(node, ast.Name)]
    stores = [node.id for node in names_in_body if isinstance(node.ctx, ast.Store)]
    if loop == "while_loop" and any(stores.count(name) < 2 for name in dropped):
        return None  # the condition of the loop may wait for a change of this value
    missing = in_a_sentence(dropped)
    source = raised.source(carry)
    code = ", ".join(names) if not source.startswith("(") else f"({', '.join(names)})"
    words = f"Return {missing}, too: the carry of the next step needs each name of the carry."
    cure = applied(FoundCure("all names of the carry", code, words), [edit_of(raised, over(carry, code))])
    return next(iter(passed_in_body(raised, body.function, [cure])), None)


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
