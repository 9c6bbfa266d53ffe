"""Makes the diff of two programs as rows; each side has the variable names of its own printed program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from ...quantities import count
from ..limits import Characters, Listed, Refused, Sent
from ..sentences.diff_sentences import diff_summary
from ..types.diff import DiffChange, DiffOf, DiffRow, DiffSide, ProgramDiff
from ..types.document import Snapshot
from .constants_and_donations import outside
from .custom_derivative_rules import uncompared_rules
from .match.changes import Change
from .match.compared_programs import compare
from .match.side import Child, ScopeSide, Side, Type
from .noise_of_rows import mark_noise
from .row_sides import Written
from .rows_near_differences import near_differences
from .rows_of_programs import Hideable, Listing, Row
from .rows_of_texts import text_rows

#: (lines of a text, for each of them the line number in the cell from which it comes; 0 if unknown).
Text = tuple[Sequence[str], Sequence[int]]

#: A diff for a script has all equal rows up to this many rows, which only the largest programs exceed.
WHOLE_IN_SCRIPTS = Refused.DIFF_ROWS

_KINDS = {"weak_type": "weak type", "results": "number of results"}


def side_of(document: Snapshot, program: int) -> Side:
    """Return a program of a document as one side of a diff; the document must contain all its equations."""
    program_entry = document.programs[program]
    lines = _cell_lines(document)
    places = []
    for stack in document.stacks:
        frame = document.frames[stack.frames[0]] if stack.frames else None
        if frame is None:
            places.append("")
            continue
        texts = lines.get(frame.file, [])
        written = texts[frame.line - 1].strip() if 0 < frame.line <= len(texts) else ""
        places.append(written or f"{document.files[frame.file].path}:{frame.line}")
    return Side(
        strings=document.strings,
        types=[Type(aval.text, tuple(aval.shape), aval.dtype, aval.weak, aval.sharding) for aval in document.avals],
        literals=[(literal.text, literal.aval) for literal in document.literals],
        parameter_lists=[
            [(parameter.name, parameter.value) for parameter in parameters] for parameters in document.parameter_lists
        ],
        scopes=_scopes(document, program_entry.scope),
        root=program_entry.scope,
        input_names=program_entry.input_names,
        places=places,
    )


def program_diff(
    before: Snapshot, program_before: int, after: Snapshot, program_after: int, *, row_limit: int = Sent.WHOLE_DIFF
) -> ProgramDiff:
    """Compare a program of `before` with a program of `after`, and return the diff.

    Args:
        before: A document that holds all equations of the program.
        program_before: The index of the program in `before`.
        after: A document that holds all equations of the other program.
        program_after: The index of the program in `after`.
        row_limit: All equal rows are included if the diff has at most this many rows.
    """
    comparison = compare(side_of(before, program_before), side_of(after, program_after))
    written_before, written_after = Written(before, program_before), Written(after, program_after)
    listing = Listing(comparison, written_before, written_after)
    mark_noise(listing.rows, written_before.noise(), written_after.noise())
    rules = uncompared_rules(before, program_before, after, program_after)
    remarks = [*listing.remarks, *([] if rules is None else [rules])]
    remarks += outside(before, program_before, after, program_after)
    return _document("jaxpr", of(before, program_before), of(after, program_after), listing.rows, remarks, row_limit)


def text_diff(
    level: Literal["stablehlo", "hlo"],
    before: DiffOf,
    text_before: Text,
    after: DiffOf,
    text_after: Text,
    *,
    row_limit: int = Sent.WHOLE_DIFF,
) -> ProgramDiff:
    """Compare two StableHLO or HLO texts line by line, and return the diff.

    Args:
        level: The level of the texts.
        before: The name of the first side.
        text_before: The lines of the first side; each with its line number in the cell, 0 if unknown.
        after: The name of the second side.
        text_after: The lines of the second side, in the same form.
        row_limit: All equal rows are included if the diff has at most this many rows.
    """
    rows, remarks = text_rows(*text_before, *text_after)
    return _document(level, before, after, rows, remarks, row_limit)


def of(document: Snapshot, program: int) -> DiffOf:
    """Return the `DiffOf` that names one side of a diff."""
    return DiffOf(
        snapshot=document.id,
        program=program,
        name=document.programs[program].name,
        execution_count=document.cell.execution_count if document.cell is not None else None,
        created=document.created,
    )


def rows_document(rows: list[Row], row_limit: int) -> tuple[list[DiffRow], int, int]:
    """Return the rows to send, how many equal rows follow them, and how many differing rows are not sent."""
    is_shown = near_differences(rows) if len(rows) > row_limit else [True] * len(rows)
    sent: list[DiffRow] = []
    numbers: dict[int, int] = {}
    skipped = left_out = 0
    for number, row in enumerate(rows):
        if len(sent) >= max(row_limit, Sent.DIFF_ROWS):
            left_out += row.sign != "same"
        elif is_shown[number]:
            numbers[number] = len(sent)
            sent.append(_row(row, skipped))
            skipped = 0
        else:
            skipped += 1
    return (
        [
            msgspec.structs.replace(row, partner=numbers.get(row.partner, -1)) if row.partner >= 0 else row
            for row in sent
        ],
        skipped,
        left_out,
    )


def _document(
    level: Literal["jaxpr", "stablehlo", "hlo"],
    before: DiffOf,
    after: DiffOf,
    rows: list[Row],
    remarks: list[str],
    row_limit: int,
) -> ProgramDiff:
    unit = {"equation", "line"}
    signs = [row.sign for row in rows if row.what in unit]
    numbers = {
        "added": signs.count("added"),
        "removed": signs.count("removed"),
        "changed": signs.count("changed"),
        "moved": sum(row.sign == "moved" and row.before is not None for row in rows if row.what in unit),
    }
    signature = sum(
        row.sign == "changed" or (row.what == "argument" and row.sign != "same")
        for row in rows
        if row.what in ("argument", "heading", "result")
    )
    noun = "equation" if level == "jaxpr" else "line"
    sent, skipped, left_out = rows_document(rows, row_limit)
    return ProgramDiff(
        level=level,
        before=before,
        after=after,
        **numbers,
        signature=signature,
        summary=diff_summary(noun, numbers, signature),
        remarks=remarks,
        rows=sent,
        skipped=skipped,
        left_out=left_out,
    )


def _row(row: Row, skipped: int) -> DiffRow:
    changes = [
        DiffChange(
            kind=change.kind,
            name=change.name,
            before=change.before[:300],
            after=change.after[:300],
            text=_change_text(change),
        )
        for change in row.changes[: Listed.CHANGES_OF_DIFF_ROW]
    ]
    unlisted = row.changes[Listed.CHANGES_OF_DIFF_ROW :]
    if unlisted:
        words = count(len(unlisted), "more difference")
        changes.append(DiffChange(kind=unlisted[0].kind, name="", before="", after="", text=words))
    before = _side(row.before(row.changes), row.hide_before) if row.before is not None else None
    after = _side(row.after(row.changes), row.hide_after) if row.after is not None else None
    return DiffRow(
        sign=row.sign,
        what=row.what,
        depth=row.depth,
        before=before,
        after=after,
        changes=changes,
        primitive=row.primitive,
        partner=row.partner,
        skipped=skipped,
    )


def _change_text(change: Change) -> str:
    changed_part = f"{_KINDS.get(change.kind, change.kind)} {change.name}".rstrip()
    if not change.before and not change.after:
        return f"{changed_part} is another value in the second program"
    text_before, text_after = (
        f"{text[: Characters.VALUE_IN_DIFF]}…" if len(text) > Characters.VALUE_IN_DIFF else text or "a variable"
        for text in (change.before, change.after)
    )
    return f"{changed_part}: {text_before} → {text_after}"


def _side(side: DiffSide, hide: Hideable | None) -> DiffSide:
    return side if hide is None else msgspec.structs.replace(side, noise=hide.noise, outside=hide.outside)


def _cell_lines(document: Snapshot) -> dict[int, list[str]]:
    """Return {file: its lines} for the files whose text is in the document."""
    lines = {}
    for number, file in enumerate(document.files):
        if file.source is not None:
            lines[number] = file.source.split("\n")
        elif document.cell is not None and file.path == document.cell.file:
            lines[number] = document.cell.source.split("\n")
    return lines


def _scopes(document: Snapshot, root: int) -> list[ScopeSide]:
    """Return the scopes of the document; scopes that belong only to other programs are empty."""
    empty = ScopeSide(0, 0, [], [], [], [], [], [], [], {}, {}, [])
    scopes = [empty] * len(document.scopes)
    waiting = [root]
    while waiting:
        number = waiting.pop()
        if scopes[number] is not empty:
            continue
        columns = document.scopes[number]
        children: dict[int, list[Child]] = {}
        for child in columns.children:
            children.setdefault(child.equation, []).append(
                Child(document.strings[child.parameter], child.position, child.scope)
            )
            waiting.append(child.scope)
        first, firsts = columns.constants + columns.inputs, []
        for outputs in columns.output_counts:
            firsts.append(first)
            first += outputs
        scopes[number] = ScopeSide(
            constants=columns.constants,
            inputs=columns.inputs,
            outputs=columns.outputs,
            types=columns.variable_avals,
            primitive=columns.primitive,
            operands=columns.operands,
            output_counts=columns.output_counts,
            first=firsts,
            parameters=columns.parameters,
            children=children,
            effects={effects.equation: effects.effects for effects in columns.effects},
            stack=columns.stack,
        )
    return scopes
