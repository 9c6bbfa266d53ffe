"""Keeps counts that are filled up with 0 out of logarithms, as p * log(p) is NaN for 0, and names divisions by them.

`jnp.unique(x, return_counts=True, size=8)` fills the counts up with 0. The search follows the counts through the
assignments and the results of the functions on the way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ....observe.observation import Edit
from ...trials.refused_assignments import own_nodes
from ...trials.trial_in_callers import traced_caller
from ..failing_code.called_names import called
from ..failing_code.edits import edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt

_MOST_FUNCTIONS = 6
_LOGARITHMS = frozenset({"log", "log2", "log10"})
_LOGARITHM = "{code} would be NaN there: the jnp.where in the logarithm makes the product 0."
_DIVISION = "{code} divides by 0 there."


@dataclass(frozen=True)
class UseOfZero:
    """An expression that is infinite or NaN where a count is 0, such as p * jnp.log(p).

    Attributes:
        text: The sentence on the expression.
        edit: The edit after which the expression is 0 where the count is 0; None without such an edit.
    """

    text: str
    edit: Edit | None = None


def uses_of_zeros(raised: RaisedAt, statement: ast.Assign, name: str) -> Iterator[UseOfZero]:
    """Yield the expressions that are infinite or NaN where a count is 0, also in the callers of the failing function.

    Expressions within a `jnp.where` are left out: the code may handle 0 there.

    Args:
        raised: The place where the error was raised.
        statement: The assignment that gives the counts their name.
        name: The name of the counts.
    """
    place: RaisedAt | None = raised
    after, names = statement.lineno, {name}
    for _ in range(_MOST_FUNCTIONS):
        function = None if place is None else place.function
        if place is None or not isinstance(function, ast.FunctionDef) or not names:
            return
        nodes = sorted((node for node in own_nodes(function) if hasattr(node, "lineno")), key=lambda node: node.lineno)
        for node in nodes:
            if isinstance(node, ast.Assign) and node.lineno > after and names & _names(node.value):
                names |= {part for target in node.targets for part in _names(target)}
        for node in nodes:
            if isinstance(node, ast.BinOp) and node.lineno > after and not _is_selected(place, node):
                yield from _uses(place, node, names)
        returned = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
        places = _places(returned[0], names) if len(returned) == 1 else None
        place = traced_caller(place)
        call = None if place is None else place.node
        assignment = None if place is None else place.parents.get(id(call))
        if places is None or not isinstance(assignment, ast.Assign):
            return
        after, names = assignment.lineno, _assigned(assignment, places)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _places(returned: ast.expr, names: set[str]) -> list[int]:
    """Return the positions of the counts in a returned tuple; [-1] for a single result."""
    if isinstance(returned, ast.Tuple):
        return [place for place, part in enumerate(returned.elts) if names & _names(part)]
    return [-1] if names & _names(returned) else []


def _assigned(assignment: ast.Assign, places: list[int]) -> set[str]:
    """Return the names that get the counts from the results of a call."""
    names: set[str] = set()
    for target in assignment.targets:
        if isinstance(target, ast.Tuple) and -1 not in places:
            parts = [target.elts[place] for place in places if place < len(target.elts)]
            names |= {part.id for part in parts if isinstance(part, ast.Name)}
        elif isinstance(target, ast.Name):
            names.add(target.id)
    return names


def _is_selected(at: RaisedAt, node: ast.AST | None) -> bool:
    """Return whether an expression is within a call of `jnp.where`."""
    while isinstance(node := at.parents.get(id(node)), ast.expr):
        if isinstance(node, ast.Call) and called(node) == "where":
            return True
    return False


def _uses(at: RaisedAt, node: ast.BinOp, names: set[str]) -> Iterator[UseOfZero]:
    if isinstance(node.op, ast.Div) and isinstance(node.right, ast.Name) and node.right.id in names:
        if not names & _names(node.left):
            yield UseOfZero(_DIVISION.format(code=at.source(node)))
    if not isinstance(node.op, ast.Mult):
        return
    for factor, logarithm in ((node.left, node.right), (node.right, node.left)):
        if isinstance(factor, ast.UnaryOp) and isinstance(factor.op, ast.USub):
            factor = factor.operand
        if not isinstance(logarithm, ast.Call) or called(logarithm) not in _LOGARITHMS or len(logarithm.args) != 1:
            continue
        operand = logarithm.args[0]
        if isinstance(factor, ast.Name) and factor.id in names and names & _names(operand):
            guarded = f"{jnp_name(at)}.where({factor.id} > 0, {at.source(operand)}, 1)"
            yield UseOfZero(_LOGARITHM.format(code=at.source(node)), edit_of(at, over(operand, guarded)))
