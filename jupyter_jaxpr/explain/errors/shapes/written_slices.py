"""Finds the cure for a write such as x.at[:n].set(a * b) where one operand of the new value needs the slice :n, too."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt

_WRITES = frozenset("set add subtract multiply divide power min max mul".split())


def written_slice_cure(raised: RaisedAt, nodes: Sequence[ast.expr]) -> list[FoundCure]:
    """Return the cure that slices one operand of a written value as the write slices its array.

    Empty if not exactly one fits.

    Args:
        raised: Where the error was raised.
        nodes: The operands of the failing operation, which computes the written value.
    """
    write = raised.parents.get(id(raised.node))
    match write:
        case ast.Call(
            func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at"), slice=index)), args=[value]
        ) if value is raised.node and called(write) in _WRITES:
            pass
        case _:
            return []
    entries = index.elts if isinstance(index, ast.Tuple) else [index]
    if not any(isinstance(entry, ast.Slice) and (entry.lower or entry.upper) for entry in entries):
        return []
    cures = []
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute):
            code = f"{raised.source(node)}[{raised.source(index)}]"
            words = f"{code} has the elements of {raised.source(node)} at the positions that the line writes."
            cures.append(applied(FoundCure("the slice", code, words), [edit_of(raised, over(node, code))]))
    tried = passed(raised, cures)
    if len(tried) != 1 or tried[0].level != "applies":
        return []
    if any(isinstance(entry, ast.Slice) and (entry.lower is None) != (entry.upper is None) for entry in entries):
        is_start = all(_starts(entry) for entry in entries)
        # another slice of the same length may be meant, such as u[:-1] for u[1:], so the cure is advice
        return tried if is_start else [replace(tried[0], level="advice", edits=())]
    return tried


def _starts(entry: ast.expr) -> bool:
    """Return whether an entry of an index is an integer, or a slice such as `:n` without a negative bound."""
    if not isinstance(entry, ast.Slice):
        return True
    return entry.lower is None and not isinstance(entry.upper, ast.UnaryOp)
