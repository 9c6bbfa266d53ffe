"""Prints the notes of a cell whose cures are edits, and applies each edit that passed its trial."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from error_table.cards import FIRST, _value, edited

from jupyter_jaxpr.build.cures.cure_trials import try_cures
from jupyter_jaxpr.document.types.document import Note, Snapshot
from jupyter_jaxpr.observe.process_observer import observer

FOLDER = Path(__file__).parent
KINDS = (
    "dropped_update",
    "key_used_twice",
    "masked_derivative",
    "printed_while_tracing",
    "promoted_carry",
    "root_of_squares",
    "truncated_type",
)


class Cells:
    """A notebook that runs cells and returns their notes."""

    def __init__(self, notebook: Any) -> None:
        self._notebook = notebook
        self._built = notebook.builds()
        notebook.run(FIRST)
        self._names = set(notebook.shell.user_ns)

    def card(self, source: str) -> str:
        """Return the notes of a cell, with the result of the cell after each edit that applies."""
        names = self._notebook.shell.user_ns
        for name in set(names) - self._names:  # removes the variables of earlier rows, which no row needs
            del names[name]
        cell = f"%%jaxpr\n{source}"
        value, document = self._run(cell)
        lines = [f"value: {value}"]
        for note in document.notes:
            if note.kind in KINDS:
                lines += self._of_note(cell, document, note)
        failed = [str(note.detail) for note in document.notes if note.kind == "failed"]
        return "\n".join([*lines, *failed])

    def _of_note(self, cell: str, document: Snapshot, note: Note) -> list[str]:
        lines = [f"note: {note.kind}, line {document.frames[note.frame].line}"]
        lines += textwrap.wrap(f"advice: {note.cure}", 116, subsequent_indent="    ")
        for cure in note.cures:
            lines.append(f"cure: {cure.name} ({cure.level})")
            lines += [f"    | {line}" for line in (cure.code or "").splitlines()]
            if cure.edits:
                value, after = self._run(edited(cell, document, cure))
                left = [note.kind for note in after.notes if note.kind in KINDS]
                lines.append(f"    gives: {value}; notes: {', '.join(left) or 'none'}")
        return lines

    def _run(self, cell: str) -> tuple[str, Snapshot]:
        """Return the value or the error of a cell, and its document."""
        self._built.clear()
        result = self._notebook.run(cell).result
        error = result.error_in_exec or result.error_before_exec
        value = f"{type(error).__name__}: {error}" if error is not None else _value(result.result)
        return value, try_cures(observer(), self._built[-1].sources, self._notebook.shell.user_ns)
