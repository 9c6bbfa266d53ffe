"""Explains a donated array that the call took under another name, as u after `u = u0`, or in a container."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_nodes
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from .donating_calls import Donation, donations_of_call, reuse_of_memory
from .other_names_of_arrays import OtherName, other_names

_SECOND_NAME = "Line {line} makes {other} another name of {name} ({type}), not a copy."
_FIRST_NAME = "Line {line} makes {name} ({type}) another name of {other}, not a copy."
_IN_CONTAINER = "Line {line} puts {name} ({type}) into {container}, without a copy."


def by_other_name(raised: RaisedAt, name: str, type_: str) -> tuple[str, tuple[FoundCure, ...]] | None:
    """Return the explanation and the cure for an array that a call took under another name, as u after `u = u0`.

    None if no other name, or several, can have reached the call.
    """
    found = [
        (other, donation)
        for other in other_names(raised, name)
        for donation in [_first_donation(raised, other)]
        if donation is not None
    ]
    if len(found) != 1:
        return None
    ((other, donation),) = found
    call, second = donation.call, raised.source(donation.argument)
    alias = _SECOND_NAME
    if other.is_container:
        alias = _IN_CONTAINER
    elif other.is_older:
        alias = _FIRST_NAME
    texts = [
        alias.format(line=other.statement.lineno, name=name, type=type_, other=other.path, container=second),
        f"Line {call.lineno} passes {second} to {called(call)}.",
    ]
    if donation.inside is None:
        texts.append(reuse_of_memory(donation, name, type_))
    else:
        texts.append(f"Line {donation.inside.lineno} donates the memory: {ast.unparse(donation.inside)}.")
    if other.value is None:
        words = f"Make {other.path} a copy of {name} before line {call.lineno}."
        return " ".join(texts), (FoundCure("a copy", f"{other.path} = {name}.copy()", words),)
    kept = raised.source(other.value)
    is_array = ast.unparse(other.value) in (name, other.path)
    code = f"{kept}.copy()" if is_array else f"jax.tree.map({jnp_name(raised)}.copy, {kept})"
    words = f"{name} is then an array that no call donates. The copy takes memory."
    copy = FoundCure("a copy", code, words)
    return " ".join(texts), (applied(copy, [edit_of(raised, over(other.value, code))]),)


def _first_donation(raised: RaisedAt, other: OtherName) -> Donation | None:
    """Return the first call after an assignment that donates the other name of an array.

    None if the code may have given that name to another array before the call, or if a condition decides on the call.
    """
    scope = raised.function or (raised.loops.module if raised.loops is not None else ast.Module([], []))
    root = other.path.partition("[")[0].partition(".")[0]
    begin = other.statement.end_lineno or other.statement.lineno
    for call in sorted((node for node in own_nodes(scope) if isinstance(node, ast.Call)), key=lambda node: node.lineno):
        if not begin < call.lineno <= raised.place.line or call is raised.node:
            continue
        donation = next(donations_of_call(raised, call, other.path), None)
        if donation is None:
            continue
        statement = raised.statement_of(call)
        is_conditional = any(isinstance(outer, ast.If | ast.Try) for outer in _around(raised, call))
        stores = [part for part in own_nodes(scope) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
        is_another = any(
            part.id == root and begin < part.lineno <= call.lineno and raised.statement_of(part) is not statement
            for part in stores
        )
        return None if is_conditional or is_another else donation
    return None


def _around(raised: RaisedAt, node: ast.AST) -> Iterator[ast.AST]:
    outer = raised.parents.get(id(node))
    while outer is not None and not isinstance(outer, ast.FunctionDef | ast.Lambda):
        yield outer
        outer = raised.parents.get(id(outer))
