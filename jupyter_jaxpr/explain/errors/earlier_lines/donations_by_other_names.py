"""Explains a donated array that the call took under another name, as u after `u = u0`, or in a container."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_nodes
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from .donating_calls import Donation, donations_of_call, reuse_of_memory
from .other_names_of_arrays import OtherName, other_names

_SECOND_NAME = "Line {line} makes {other} another name of {name} ({type}), not a copy."
_COPIES = {"copy", "deepcopy"}
_FIRST_NAME = "Line {line} makes {name} ({type}) another name of {other}, not a copy."
_SEVERAL = "{lines} make {name} ({type}) another name of {other}, not a copy."
_UNCLEAR = "The code does not show whether {name} is a copy after {lines}."
_EACH_LINE = "Assign a copy in each line that assigns to {name}: {lines}."
_IN_CONTAINER = "Line {line} puts {name} ({type}) into {container}, without a copy."


def by_other_name(raised: RaisedAt, name: str, type_: str) -> tuple[str, tuple[FoundCure, ...]] | None:
    """Return the explanation and the cure for an array that a call took under another name, as u after `u = u0`.

    None if no other name, or several, can have reached the call. Several assignments can give the array its name, as
    before a loop and in the loop. The code does not show which one did, so the edit copies in all of them.
    """
    found = [
        (other, donation)
        for other in other_names(raised, name)
        for donation in [_first_donation(raised, other)]
        if donation is not None
    ]
    if not found or any(
        other.path != found[0][0].path or donation.call is not found[0][1].call or not other.is_older
        for other, donation in found[1:]
    ):
        return None
    other, donation = found[0]
    unclear = _unclear_lines(raised, name, [older.statement for older, _ in found]) if other.is_older else []
    call, second = donation.call, raised.source(donation.argument)
    alias = _SECOND_NAME
    if other.is_container:
        alias = _IN_CONTAINER
    elif other.is_older:
        alias = _FIRST_NAME
    lines = [older.statement.lineno for older, _ in found]
    texts = [
        _SEVERAL.format(lines=_listed(lines), name=name, type=type_, other=other.path)
        if len(found) > 1
        else alias.format(line=other.statement.lineno, name=name, type=type_, other=other.path, container=second),
        f"Line {call.lineno} passes {second} to {called(call)}.",
    ]
    if donation.inside is None:
        texts.append(reuse_of_memory(donation, name, type_))
    else:
        texts.append(f"Line {donation.inside.lineno} donates the memory: {ast.unparse(donation.inside)}.")
    if other.value is None:
        words = f"Make {other.path} a copy of {name} before line {call.lineno}."
        return " ".join(texts), (FoundCure("a copy", f"{other.path} = {name}.copy()", words),)
    if unclear:
        texts.append(_UNCLEAR.format(name=_root(name), lines=_listed(unclear).lower()))
        words = _EACH_LINE.format(name=_root(name), lines=_listed([*lines, *unclear]).lower())
        return " ".join(texts), (FoundCure("a copy", None, words),)
    kept = raised.source(other.value)
    is_array = ast.unparse(other.value) in (name, other.path)
    code = f"{kept}.copy()" if is_array else f"jax.tree.map({jnp_name(raised)}.copy, {kept})"
    words = f"{name} is then an array that no call donates. The copy takes memory."
    copy = FoundCure("a copy", code, words)
    edits = [edit_of(raised, over(older.value, code)) for older, _ in found if older.value is not None]
    return " ".join(texts), (applied(copy, edits),)


def _listed(lines: Sequence[int]) -> str:
    if len({*lines}) == 1:
        return f"Line {lines[0]}"
    return f"Lines {in_a_sentence([str(line) for line in sorted({*lines})])}"


def _unclear_lines(raised: RaisedAt, name: str, aliases: Sequence[ast.Assign]) -> list[int]:
    """Return the lines of further assignments to the name of an array that can also have shared the donated array."""
    root = _root(name)
    donated = {part.id for alias in aliases for part in ast.walk(alias.value) if isinstance(part, ast.Name)}
    lines = []
    for node in own_nodes(_scope(raised)):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Store) or node.id != root:
            continue
        statement = raised.statement_of(node)
        if statement is None or any(statement is alias for alias in aliases):
            continue
        words = {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(statement)}
        if words & donated and not words & _COPIES:
            lines.append(statement.lineno)
    return lines


def _scope(raised: RaisedAt) -> ast.AST:
    return raised.function or (raised.loops.module if raised.loops is not None else ast.Module([], []))


def _root(path: str) -> str:
    return path.partition("[")[0].partition(".")[0]


def _first_donation(raised: RaisedAt, other: OtherName) -> Donation | None:
    """Return the first call after an assignment that donates the other name of an array.

    In a loop, the first call can be a call above the assignment, which the next iteration makes. None if the code may
    have given that name to another array before the call, or if a condition decides on the call.
    """
    scope, root = _scope(raised), _root(other.path)
    begin = other.statement.end_lineno or other.statement.lineno
    loop = next((outer for outer in _around(raised, other.statement) if isinstance(outer, ast.For | ast.While)), None)
    inside = {id(part) for part in own_nodes(loop)} if loop is not None else set()

    def order(node: ast.expr) -> tuple[bool, int]:
        return (node.lineno <= begin, node.lineno)

    calls = [node for node in own_nodes(scope) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=order):
        is_next_iteration = call.lineno <= begin
        if is_next_iteration and id(call) not in inside:
            continue
        if call.lineno > raised.place.line or call is raised.node:
            continue
        donation = next(donations_of_call(raised, call, other.path), None)
        if donation is None:
            continue
        statement = raised.statement_of(call)
        is_conditional = any(isinstance(outer, ast.If | ast.Try) for outer in _around(raised, call))
        stores = [part for part in own_nodes(scope) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
        between = [
            part
            for part in stores
            if part.id == root and order(part) <= order(call) and (part.lineno > begin or id(part) in inside)
        ]
        is_another = any(raised.statement_of(part) is not statement for part in between)
        return None if is_conditional or is_another else donation
    return None


def _around(raised: RaisedAt, node: ast.AST) -> Iterator[ast.AST]:
    outer = raised.parents.get(id(node))
    while outer is not None and not isinstance(outer, ast.FunctionDef | ast.Lambda):
        yield outer
        outer = raised.parents.get(id(outer))
