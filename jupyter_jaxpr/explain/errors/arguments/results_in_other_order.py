"""Explains `loss, params = step(params, x)` where `step` returns the parameters first and the loss second."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import Any

from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_nodes
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.definitions import at_definition
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..failing_code.return_values import AnyFunction, function_of_text, result_of

_MOST = 4


def results_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error after an assignment whose names are in another order than the returned values."""
    if raised is None or raised.frame is None or raised.node is None:
        return None
    if not isinstance(error, TypeError | ValueError | AttributeError | KeyError):
        return None
    for place, statement, is_repeated in _assignments(raised):
        target, call = statement.targets[0], statement.value
        if not isinstance(target, ast.Tuple) or not isinstance(call, ast.Call):
            continue
        at, returning = _returning(place, call)
        result = result_of(returning)
        if returning is None or not isinstance(result, ast.Tuple) or not 2 <= len(result.elts) <= _MOST:
            continue
        order = _other_order(place, target, result)
        if order is None or (is_repeated and not _was_called(place, target, call)):
            continue
        if not is_repeated and not _is_cause(raised, target, order):
            continue
        return _explained(place, target, call, at, returning, result, order)
    return None


def _assignments(raised: RaisedAt) -> Iterator[tuple[RaisedAt, ast.Assign, bool]]:
    """Yield the assignments that may have given the failing line its values.

    Each is a tuple: the place, the assignment, and whether its call raised the error. If the call itself raised the
    error, an earlier iteration of a loop gave the names their values.
    """
    for frame in reversed(raised.callers):
        place = at_caller(raised, frame)
        statement = place.statement_of(place.node)
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            yield place, statement, True
    read = {part.id for part in ast.walk(raised.node) if isinstance(part, ast.Name)} if raised.node else set()
    if raised.loops is None:
        return
    for node in own_nodes(raised.function if isinstance(raised.function, ast.FunctionDef) else raised.loops.module):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or node.lineno >= raised.place.line:
            continue
        stored = {part.id for part in ast.walk(node.targets[0]) if isinstance(part, ast.Name)}
        if stored & read:
            yield raised, node, False


def _returning(place: RaisedAt, call: ast.Call) -> tuple[RaisedAt, AnyFunction | None]:
    """Return the function that a call calls, which may be a method or stand in another cell, and its place."""
    function = function_of_text(place, call.func.attr if isinstance(call.func, ast.Attribute) else call.func)
    if function is not None:
        return place, function
    value = value_of(place, call.func) if place.frame is not None else None
    found = at_definition(place, value) if value is not None else None
    return found if found is not None else (place, None)


def _other_order(place: RaisedAt, target: ast.Tuple, result: ast.Tuple) -> tuple[int, ...] | None:
    """Return the index of the fitting name for each returned value.

    None if the names may already be in the right order, or if the values have equal types: a step such as `a, b =
    step(a, b)` may return b first on purpose.
    """
    names, number = target.elts, len(result.elts)
    parts = [*names, *result.elts]
    if len(names) != number or any(isinstance(part, ast.Starred | ast.Tuple) for part in parts):
        return None
    scores = {
        order: [_likeness(names[name], result.elts[index]) for index, name in enumerate(order)]
        for order in itertools.permutations(range(number))
    }
    best = max(scores, key=lambda order: sum(scores[order]))
    ties = [order for order in scores if sum(scores[order]) == sum(scores[best])]
    identity = tuple(range(number))
    if len(ties) > 1 or sum(scores[best]) < sum(scores[identity]) + 2 or scores[best].count(0) > 1:
        return None
    moved = [names[name] for index, name in enumerate(best) if index != name]
    kinds = [_kind(value_of(place, name)) for name in moved]
    return best if None not in kinds and len(set(map(str, kinds))) > 1 else None


def _likeness(name: ast.expr, result: ast.expr) -> int:
    """Return a score of how well a name on the left of the `=` fits a returned expression. 3: the names are equal.

    2: one name contains the other, or the expression reads the name. 1: one short name is the start of the other. 0:
    otherwise.
    """
    text, other = _own_name(name), _own_name(result)
    if not text:
        return 0
    if text == other:
        return 3
    if other and (text in other or other in text) and min(len(text), len(other)) > 2:
        return 2
    read = {part.id for part in ast.walk(result) if isinstance(part, ast.Name)}
    if text in read:
        return 2
    return 1 if other and (text.startswith(other) or other.startswith(text)) else 0


def _own_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _kind(value: Any) -> Any:
    """Return the structure and the shapes of a value; None for None."""
    import jax

    if value is None:
        return None
    leaves, structure = jax.tree_util.tree_flatten(value)
    return structure, [getattr(leaf, "shape", ()) for leaf in leaves[:1_000]]


def _was_called(place: RaisedAt, target: ast.Tuple, call: ast.Call) -> bool:
    """Return whether the assignment ran in an earlier iteration of a loop.

    If so, each name on the left of the `=` that the call does not pass as an argument already has a value.
    """
    loop: ast.AST | None = call
    while loop is not None and not isinstance(loop, ast.For | ast.While):
        loop = place.parents.get(id(loop))
    arguments = {ast.unparse(part) for part in [*call.args, *(keyword.value for keyword in call.keywords)]}
    others = [name for name in target.elts if ast.unparse(name) not in arguments]
    return loop is not None and bool(others) and all(value_of(place, name) is not None for name in others)


def _is_cause(raised: RaisedAt, target: ast.Tuple, order: tuple[int, ...]) -> bool:
    """Return whether the order of the names may have caused the error.

    If so, the failing line passes a trial in which the names have the values in the other order.
    """
    assert raised.node is not None
    now = {ast.unparse(target.elts[index]): raised.source(target.elts[number]) for number, index in enumerate(order)}
    changed = [
        part
        for part in ast.walk(raised.node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and now.get(part.id, part.id) != part.id
    ]
    values = [value_of(raised, part) for part in target.elts]
    structures = {str(_structure(value)) for value in values}
    if raised.around(ast.JoinedStr) is not None or not changed:
        return len(structures) > 1  # Python 3.11 reports no columns for expressions within an f-string
    edits = [edit_of(raised, over(part, now[part.id])) for part in changed]
    return bool(passed(raised, [applied(FoundCure("the order", None, ""), edits)]))


def _structure(value: Any) -> Any:
    """Return the pytree structure of a value."""
    import jax

    return jax.tree_util.tree_structure(value)


def _explained(
    place: RaisedAt,
    target: ast.Tuple,
    call: ast.Call,
    at: RaisedAt,
    returning: AnyFunction,
    result: ast.Tuple,
    order: tuple[int, ...],
) -> Explained:
    name = returning.name if isinstance(returning, ast.FunctionDef) else "the lambda"
    names = [place.source(part) for part in target.elts]
    returned = ", ".join(" ".join(at.source(part).split()) for part in result.elts)
    title = f"Line {target.lineno} takes the results of {name} in another order than {name} returns them"
    text = f"Line {target.lineno} assigns to {', '.join(names)}, but {name} returns {returned} (line {result.lineno})."
    left = ", ".join(names[index] for index in order)
    code = f"{left} = {' '.join(place.source(call).split())}"
    words = (
        f"Write the names in the order in which {name} returns the values. Then run again the code that gives these "
        "names their first values."
    )
    return Explained(edit_of(place, over(target, "")).place, title, text, (FoundCure("the order", code, words),))
