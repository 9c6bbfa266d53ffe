"""Finds cures for an index that is a float because the initial carry of a loop is a float."""

from __future__ import annotations

import ast
from dataclasses import replace

from ....observe.observation import FoundCure, Place
from ....plain_text import file_of, function_of
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from .carries import Carry, carry_around


def start_of_index(raised: RaisedAt, index: ast.expr) -> ast.expr | None:
    """Return the part of the initial carry that is the first value of an index in a loop body. None for other indices.

    Args:
        raised: Where the error was raised.
        index: The expression of the index: the carry, or a name that the body unpacks from the carry.
    """
    carry = carry_around(raised)
    if carry is None or carry.start is None or not isinstance(index, ast.Name):
        return None
    if index.id == carry.parameter:
        return carry.start
    place = _place_in_carry(raised, carry, index.id)
    if place is None or not isinstance(carry.start, ast.Tuple | ast.List) or place >= len(carry.start.elts):
        return None
    return carry.start.elts[place]


def _place_in_carry(raised: RaisedAt, carry: Carry, name: str) -> int | None:
    """Return the position of a name in the unpacking of the carry: 1 for x in `i, x = carry`.

    None if the name is assigned elsewhere.
    """
    places = []
    for node in ast.walk(raised.function) if raised.function is not None else ():
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id=source)) if source == carry.parameter:
                places += [place for place, target in enumerate(names) if getattr(target, "id", "") == name]
            case ast.Name(id=stored, ctx=ast.Store()) if stored == name:
                places.append(-1)
    # ast.walk meets the unpacking `i, x = carry` first, and then the name i in it. Any further match is another
    # assignment to i.
    return places[0] if len(places) == 2 and places[1] == -1 and places[0] >= 0 else None


def integer_start(raised: RaisedAt, start: ast.expr) -> list[FoundCure]:
    """Return the cure that writes the initial carry as an integer, such as 0 for 0.0.

    Return an empty list if the loop with the cure fails its trial.
    """
    carry = carry_around(raised)
    if carry is None or not isinstance(start, ast.Constant) or type(start.value) is not float:
        return []
    outer = at_loop(raised, carry.loop)
    if outer is None or not start.value.is_integer():
        return []
    code = str(int(start.value))
    loop = raised.source(carry.loop.func)
    words = f"With {code} as the initial carry, {loop} carries an integer at each step."
    cure = applied(FoundCure("an integer", code, words), [edit_of(outer, over(start, code))])
    return [tried for tried in passed(outer, [cure]) if tried.level == "applies"]


def at_loop(raised: RaisedAt, loop: ast.Call) -> RaisedAt | None:
    """Return the place of the loop's call, instead of the place in the loop's body that raised the error."""
    frame = raised.callers[-1] if raised.callers else None
    end = loop.end_lineno or loop.lineno
    if frame is None or file_of(frame.f_code) != raised.place.file or not loop.lineno <= frame.f_lineno <= end:
        return None
    scope, end_column = function_of(frame.f_code), loop.end_col_offset or 0
    place = Place(raised.place.file, loop.lineno, scope, loop.col_offset, end, end_column)
    return replace(raised, place=place, node=loop, frame=frame, callers=raised.callers[:-1])
