"""Gives scripts a readable object for the diff of two programs: `Snapshot.diff`."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from ...quantities import count
from ..diff.rows_near_differences import near_differences
from ..sentences.diff_sentences import MOVED_FROM_HERE, MOVED_TO_HERE
from ..types.diff import DiffChange, DiffOf, DiffRow, DiffSide, ProgramDiff

_SIGNS = {"same": " ", "added": "+", "removed": "-", "changed": "~", "moved": ">"}


@dataclass(frozen=True)
class Changed:
    """One difference between two equations.

    Attributes:
        kind: ``operand``, ``shape``, ``dtype``, ``weak_type``, ``sharding``, ``parameter``, ``primitive``,
            ``results``, ``effects`` or ``type``.
        name: The name of a parameter, the position of an operand from 1; else empty.
        before: The text in the first program; empty for a variable, whose name differs between programs anyway.
        after: The text in the second program, in the same form.
        text: The difference as a sentence or a short text.
    """

    kind: str
    name: str
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Difference:
    """An equation, or a line of a text, that is not the same in both programs.

    Attributes:
        sign: ``added``, ``removed``, ``changed`` or ``moved``.
        before: The equation or line in the first program, in the names of that program; None if it was added.
        after: The equation or line in the second program, in the names of that program; None if it was removed.
        line_before: The line of the cell that `before` comes from, from 1; None if `before` is not of the cell.
        line_after: The line of the cell that `after` comes from, from 1; None if `after` is not of the cell.
        changes: The differing parts of a changed equation or line; empty for other signs.
    """

    sign: str
    before: str | None
    after: str | None
    line_before: int | None
    line_after: int | None
    changes: tuple[Changed, ...] = ()


class Diff:
    """The comparison of two programs. The diff is true if anything differs; `print` shows the differing lines.

    Attributes:
        added: the equations (or lines) that only the second program has.
        removed: the equations (or lines) that only the first program has.
        changed: the equations (or lines) of both programs that differ from their partner.
        moved: the equations (or lines) of both programs whose partner is at another position or in another inner
            program.
        signature: the differences of arguments, results and inputs of inner programs, as rows of the document.
        remarks: sentences on the diff, for example that equations went into a scan.
    """

    def __init__(self, document: ProgramDiff) -> None:
        """Read a diff of the document; the diff must have all its rows."""
        self.document = document
        differences: dict[str, list[Difference]] = {sign: [] for sign in _SIGNS}
        for row in document.rows:
            if row.what not in ("equation", "line") or row.sign == "same":
                continue
            if row.sign != "moved":
                differences[row.sign].append(_difference(row, row.before, row.after))
            elif row.before is not None:
                partner = document.rows[row.partner].after if row.partner >= 0 else None
                differences["moved"].append(_difference(row, row.before, partner))
        self.added = tuple(differences["added"])
        self.removed = tuple(differences["removed"])
        self.changed = tuple(differences["changed"])
        self.moved = tuple(differences["moved"])
        self.signature = tuple(
            row for row in document.rows if row.what not in ("equation", "line") and row.sign != "same"
        )
        self.remarks = tuple(document.remarks)

    def __bool__(self) -> bool:
        return any(row.sign != "same" for row in self.document.rows)

    def __str__(self) -> str:
        document = self.document
        lines = [
            f"--- {_label(document.before)}",
            f"+++ {_label(document.after)}",
            *wrapped(document.summary, ""),
        ]
        for remark in self.remarks:
            lines += wrapped(remark, "  ")
        if self:
            lines.append("")
            lines += _unified(document.rows, document.skipped)
        if document.left_out:
            lines.append(f"  ... {count(document.left_out, 'more difference')}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


_COLUMNS = 80


def wrapped(text: str, indent: str) -> list[str]:
    """Return a text broken into lines of at most 80 columns."""
    if len(indent) + len(text) <= _COLUMNS and text.isprintable() and not text.endswith(" ") and text:
        return [indent + text]  # a faster path for a row that fits into one line, as most do
    return textwrap.wrap(
        text,
        _COLUMNS,
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_on_hyphens=False,
    )


def _difference(row: DiffRow, before: DiffSide | None, after: DiffSide | None) -> Difference:
    return Difference(
        sign=row.sign,
        before=before.text if before is not None else None,
        after=after.text if after is not None else None,
        line_before=(before.line or None) if before is not None else None,
        line_after=(after.line or None) if after is not None else None,
        changes=tuple(_changed(change) for change in row.changes),
    )


def _changed(change: DiffChange) -> Changed:
    return Changed(change.kind, change.name, change.before, change.after, change.text)


def _label(side: DiffOf) -> str:
    run_text = "" if side.execution_count is None else f"  run [{side.execution_count}]"
    return f"{side.name}{run_text}"


def _unified(rows: list[DiffRow], after: int) -> list[str]:
    """Return the rows as a unified diff; `after` is the number of equal rows after the last row."""
    lines: list[str] = []
    equal = 0
    for is_near, row in zip(near_differences(rows), rows, strict=True):
        equal += row.skipped
        if not is_near:
            equal += 1
            continue
        if equal:
            lines.append(f"  ... {count(equal, 'equal line')}")
        equal = 0
        lines += _row(row)
    equal += after
    if equal:
        lines.append(f"  ... {count(equal, 'equal line')}")
    return lines


def _row(row: DiffRow) -> list[str]:
    indent = "  " * row.depth
    sign = _SIGNS[row.sign]
    if row.sign == "same":
        side = row.after or row.before
        return wrapped(side.text, f"  {indent}") if side is not None else []
    if row.sign != "changed":
        side = row.after or row.before
        arrow = ""
        if row.sign == "moved":
            arrow = MOVED_FROM_HERE if row.before is not None else MOVED_TO_HERE
        return wrapped(f"{arrow}{side.text}", f"{sign} {indent}") if side is not None else []
    lines = []
    if row.before is not None and row.after is not None:
        lines += wrapped(row.before.text, f"{sign}-{indent}") + wrapped(row.after.text, f"{sign}+{indent}")
    for change in row.changes:
        lines += wrapped(change.text, f"    {indent}")
    return lines
