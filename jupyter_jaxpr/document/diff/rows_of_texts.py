"""Makes the rows of a diff from the lines of two StableHLO or HLO texts."""

from __future__ import annotations

from collections.abc import Sequence

from ...quantities import count
from ..sentences.diff_sentences import too_different
from ..types.diff import DiffSide, Sign
from .constants_and_donations import CONSTANT_AS_ARGUMENT
from .match.changes import Change
from .match.compared_text_lines import changed_parts, compare_texts, without_metadata
from .rows_of_programs import Row, Write


def text_rows(
    before: Sequence[str], places_before: Sequence[int], after: Sequence[str], places_after: Sequence[int]
) -> tuple[list[Row], list[str]]:
    """Return the rows of the diff, and sentences about the diff.

    Args:
        before: The lines of the first text.
        places_before: For each line of the first text, the line number in the cell from which it comes; 0 if unknown.
        after: The lines of the second text.
        places_after: For each line of the second text, the line number in the cell; 0 if unknown.
    """
    difference = compare_texts(before, after)
    rows: list[Row] = []
    moved: dict[int, int] = {}

    def side(is_before: bool, number: int, partner: int | None) -> Write:
        """Return the function that prints line `number` of one text.

        The function marks the parts of the line that differ from line `partner` of the other text.
        """
        line, places = (before[number], places_before) if is_before else (after[number], places_after)

        def write(_: Sequence[Change]) -> DiffSide:
            text = without_metadata(line)
            marks: list[int] = []
            if partner is not None:
                i, j = (number, partner) if is_before else (partner, number)
                parts = changed_parts(difference, i, without_metadata(before[i]), j, without_metadata(after[j]))
                marks = [_units(text, at) for span in parts[0 if is_before else 1] for at in span]
            place = places[number] if number < len(places) else 0
            return DiffSide(text=text, scope=-1, equation=number, line=place, marks=marks)

        return write

    def alone(is_before: bool, number: int) -> None:
        if number in (difference.silent_a if is_before else difference.silent_b):
            return
        partner = (difference.partner_a if is_before else difference.partner_b)[number]
        sign: Sign = "moved" if partner >= 0 else "removed" if is_before else "added"
        write = side(is_before, number, None)
        row = Row(sign, "line", 0, write if is_before else None, None if is_before else write)
        if partner >= 0:
            key = number if is_before else partner
            moved_row = moved.pop(key, None)
            if moved_row is None:
                moved[key] = len(rows)
            else:
                row.partner = moved_row
                rows[moved_row].partner = len(rows)
        rows.append(row)

    start_a = start_b = 0
    ends = len(before), len(after)
    in_order = [(i, j) for i, j in enumerate(difference.partner_a) if j >= 0 and i not in difference.moved]
    for i, j in [*in_order, ends]:
        for left in range(start_a, i):
            alone(True, left)
        for right in range(start_b, j):
            alone(False, right)
        if i < len(before):
            changed = i in difference.changed
            rows.append(
                Row(
                    "changed" if changed else "same",
                    "line",
                    0,
                    side(True, i, j if changed else None),
                    side(False, j, i if changed else None),
                )
            )
        start_a, start_b = i + 1, j + 1
    remarks = []
    if difference.coarse:
        remarks.append(too_different("texts", "lines"))
    elided = min(sum(_is_elided(line) for line in lines) for lines in (before, after))
    if elided:
        remarks.append(
            f"The diff does not compare the values of {count(elided, 'large constant')}: the texts do not print the "
            f"values. {CONSTANT_AS_ARGUMENT}"
        )
    return rows, remarks


def _is_elided(line: str) -> bool:
    """Return whether a line has a constant whose values are not printed."""
    return "dense_resource<__elided__>" in line or " constant({...})" in line


def _units(text: str, at: int) -> int:
    """Return the position in UTF-16 code units of a position in a Python string."""
    return at if text.isascii() else len(text[:at].encode("utf-16-le")) // 2
