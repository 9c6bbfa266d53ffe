"""Makes the cures for a loop body without a return: the body must return the new carry, for a scan also an output."""

from __future__ import annotations

import ast

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_nodes
from ..failing_code.edits import applied, edit_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import missing_return
from .dropped_carries import unpacked_carry
from .loop_bodies import Body, passed_in_body

_ADDED = "{function} has no return, so Python returns None. Return the new {carry} at the end."
_UNTRIED = "{function} (line {line}) has no return, so Python returns None. Return the new {carry} at its end."


def returns_of_carry(raised: RaisedAt, at: RaisedAt, body: Body, loop: str) -> list[FoundCure]:
    """Return the cures that add a return to a loop body; empty if the body has a return.

    Args:
        raised: The call of the loop.
        at: The place of the body.
        body: The body.
        loop: The name of the loop.
    """
    function = body.function
    missing = missing_return(at, function, pair=loop == "scan")
    if missing is None or not isinstance(function, ast.FunctionDef):
        return []
    names = _carry_names(body, loop)
    values = ", ".join(names)
    if loop == "scan":
        values = f"({values}), None" if len(names) > 1 else f"{values}, None"
    code, carry = f"return {values}", in_a_sentence(names, 4)
    words = _ADDED.format(function=function.name, carry=carry)
    last = function.body[-1]
    edit = edit_of(at, (last, last, f"{at.source_of_statement(last)}\n{code}"))
    whole = [applied(FoundCure("return", code, words), [edit])] if names else []
    candidates = [*whole, missing] if len(names) > 1 else [missing, *whole]
    for candidate in candidates:
        tried = passed_in_body(raised, function, [candidate], at)
        if tried and tried[0].code is not None:
            return tried
    if not names:
        return [missing] if missing.level != "applies" else []
    return [FoundCure("return", code, _UNTRIED.format(function=function.name, line=function.lineno, carry=carry))]


def _carry_names(body: Body, loop: str) -> list[str]:
    """Return the names of the new carry: those that the body unpacks, or the parameter that the body changes."""
    if names := unpacked_carry(body, loop):
        return names
    place = 1 if loop == "fori_loop" else 0
    parameters = body.parameters[place : place + 1]
    changed = {root.id for node in own_nodes(body.function) if (root := _stored(node)) is not None}
    return [name for name in parameters if name in changed]


def _stored(node: ast.AST) -> ast.Name | None:
    """Return the name to which a node assigns a value or an element, such as state for state["x"]; else None."""
    if not isinstance(node, ast.Name | ast.Subscript) or not isinstance(node.ctx, ast.Store):
        return None
    while isinstance(node, ast.Subscript):
        node = node.value
    return node if isinstance(node, ast.Name) else None
