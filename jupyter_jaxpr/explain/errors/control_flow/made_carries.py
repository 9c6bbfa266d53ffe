"""Finds the code that made the initial carry of a loop and the carry that a step returns, also in other functions."""

from __future__ import annotations

import ast
import re
from typing import Any

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import Change as EditChange
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.made_leaves import MadeLeaf, made_by_function, made_part
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..failing_code.return_values import AnyFunction
from .carry_cures import Change
from .returned_leaves import leaf_at

_MADE = "{name} comes from {code} ({where})."
_SHAPE = "The step returns {name} with the shape {shape}. With this shape in {where}, the carry keeps its type."


def steps_of(path: str) -> tuple[Any, ...]:
    """Return the keys, positions and fields of a path in JAX's message, without the name at its start."""
    path = path.removeprefix("loop_carry[1]")
    return tuple(
        text or (f".{field}" if field else int(number))
        for text, number, field in re.findall(r"\['([^']*)'\]|\[(\d+)\]|\.([^\W\d]\w*)", path)
    )


def made_start(raised: RaisedAt, start: ast.expr, path: str) -> MadeLeaf | None:
    """Return the code that made a part of the initial carry; None if the call of the loop has this code itself."""
    found = made_part(raised, start, steps_of(path))
    return found if found is not None and found.node.lineno != start.lineno else None


def sentences_on_makers(
    raised: RaisedAt,
    start: ast.expr,
    path: str,
    quoted: ast.expr,
    body: tuple[RaisedAt, AnyFunction] | None,
    returned: ast.expr | None,
) -> list[str]:
    """Return the sentences that quote the code of the initial and of the returned carry.

    Args:
        raised: Where the loop raised the error.
        start: The expression of the initial carry.
        path: The path of the part of the carry whose type changes.
        quoted: The code of this part that another sentence quotes.
        body: The place of the body, and the body.
        returned: The expression that the body returns for this part; None if unknown.
    """
    sentences = []
    leaf = made_start(raised, start, path)
    if leaf is not None and leaf.code and leaf.node is not quoted:
        sentences.append(_MADE.format(name=_named(raised, start, path), code=leaf.code, where=leaf.where))
    if body is not None and isinstance(returned, ast.Name):
        at, function = body
        made = made_by_function(at, function, returned)
        if made is not None and made.code and made.scope is not function:
            sentences.append(_MADE.format(name=returned.id, code=made.code, where=made.where))
    return sentences


def _named(raised: RaisedAt, start: ast.expr, path: str) -> str:
    """Return the code of a part of the initial carry, such as state.P."""
    if (leaf := leaf_at(start, path, raised)) is not None:
        return " ".join(raised.source(leaf).split())
    steps = [step if str(step).startswith(".") else f"[{step!r}]" for step in steps_of(path)]
    return f"{' '.join(raised.source(start).split())}{''.join(steps)}"


def shape_cure(raised: RaisedAt, start: ast.expr, change: Change) -> list[FoundCure]:
    """Return the cure that makes the initial carry with the shape that the step returns, such as jnp.zeros((2, 2)).

    Empty unless the code makes the initial carry with a function such as jnp.zeros, and the cure passes its trial.
    """
    leaf = made_part(raised, start, steps_of(change.path))
    if leaf is None or not isinstance(leaf.node, ast.Call) or called(leaf.node) not in _MAKERS or not leaf.node.args:
        return []
    if change.dtypes[0] != change.dtypes[1]:
        return []
    sizes = [int(size) for size in re.findall(r"\d+", change.after.partition("[")[2])]
    shape = str(sizes[0]) if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"
    new: EditChange = over(leaf.node.args[0], shape)
    words = _SHAPE.format(name=change.name, shape=shape, where=leaf.where)
    cure = applied(FoundCure("the shape", None, words), [edit_of(leaf.at, new)])
    outer = at_caller(raised, raised.callers[0]) if raised.callers else raised
    return [tried for tried in passed(outer, [cure]) if tried.level == "applies"]


_MAKERS = frozenset("zeros ones empty full".split())
