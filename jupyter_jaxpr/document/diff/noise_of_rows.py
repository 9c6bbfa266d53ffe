"""Marks the rows of a diff that are noise on one side or both, with the kind of noise.

The order of the rows shows to which equation a row belongs: the rows inside of an equation follow it, one level deeper.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..noise_rules import ProgramNoise
from ..types.diff import Noise
from .rows_of_programs import At, Hideable, Row


def mark_noise(rows: list[Row], before: ProgramNoise, after: ProgramNoise) -> None:
    """Mark the noise in all rows, on both sides; the time is linear in the number of rows."""
    found_before = _of_side(rows, [row.at_before for row in rows], before)
    found_after = _of_side(rows, [row.at_after for row in rows], after)
    for row, hide_before, hide_after in zip(rows, found_before, found_after, strict=True):
        row.hide_before, row.hide_after = hide_before, hide_after


def _of_side(rows: Sequence[Row], places: Sequence[At | None], noise: ProgramNoise) -> list[Hideable | None]:
    hideables: list[Hideable | None] = [None] * len(rows)

    def add(number: int, kind: Noise) -> None:
        hideable = hideables[number] = hideables[number] or Hideable()
        hideable.noise.append(kind)

    #: (row, scope, names) of a jit call that its only equation could replace; the call counts as noise only if the rows
    #: of its inner program follow
    call: tuple[int, int, str] | None = None
    #: (depth, names) of the enclosing jit calls that a single equation could replace, innermost last
    around: list[tuple[int, str]] = []
    #: the depth of the enclosing equation whose results nothing uses; -1 if there is none
    unused = -1
    for number, (row, at) in enumerate(zip(rows, places, strict=True)):
        if at is None:
            continue
        scope, equation = at
        inside = bool(around) and around[-1][0] == row.depth
        if row.depth <= unused:
            unused = -1
        if row.what == "equation":
            primitive = noise.primitive(scope, equation)
            if primitive is not None:
                add(number, primitive)
            if inside and around[-1][1]:
                hideables[number] = hideable = hideables[number] or Hideable()
                hideable.outside = around[-1][1]
            trivial = noise.trivial_call(scope, equation)
            call = (number, *trivial) if trivial is not None else None
            is_unused = noise.is_unused(scope, equation)
            if unused >= 0 or is_unused:
                add(number, "unused")
            if unused < 0 and is_unused:
                unused = row.depth
            continue
        if row.what == "heading" and call is not None and call[1] == scope and row.depth == rows[call[0]].depth + 1:
            add(call[0], "wrapper")
            add(number, "wrapper")
            around.append((row.depth, call[2]))
        elif row.what == "result" and inside:
            add(number, "wrapper")
            around.pop()
        call = None
        if unused >= 0:
            add(number, "unused")
    return hideables
