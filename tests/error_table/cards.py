"""Prints the error card of a cell that raises an error, and applies each of its cures."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jupyter_jaxpr.document.types.cures import Cure
from jupyter_jaxpr.document.types.document import Note, Snapshot

FOLDER = Path(__file__).parent
FILLS = {
    "SIZE": "2",
    "FILL": "0",
    "OUTPUT": "0.0",
    "REDUCTION": "jnp.all",
    "LENGTH": "6",
    "COUNT": "2",
    "STORED": "4",
    "AXIS": "0",
    "REST": "rest",
    "DTYPE": "x.dtype",
    "SHAPE": "x.shape",
}
FIRST = (
    "import jax, jax.scipy.special, jax.numpy as jnp, numpy as np\nfrom jax import lax\nfrom functools import partial"
)
OLDER = jax.__version__.startswith("0.10.")
#: When the test of a row runs: each day on the newest JAX line, each day on both lines, or only in the full set.
SCHEDULES = ("on one line", "on both lines", "in full")
_KINDS = ("trace_raised", "raised")


@dataclass(frozen=True)
class Row:
    """A cell and its card.

    Attributes:
        name: The name of the row.
        source: The text of the cell, without the magic's line.
        card: The card on the newest JAX line.
        older: The card on the older line, where it differs there; else None.
        schedule: When the row's test runs, one of `SCHEDULES`.
    """

    name: str
    source: str
    card: str
    older: str | None
    schedule: str = SCHEDULES[0]

    @property
    def expected(self) -> str:
        return self.older if OLDER and self.older is not None else self.card


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows that a file contains."""
    for part in re.split(r"^=== ", path.read_text(), flags=re.MULTILINE)[1:]:
        header, _, body = part.partition("\n")
        name, _, schedule = header.rstrip(")").rpartition(" (")
        if schedule not in SCHEDULES:
            name, schedule = header, SCHEDULES[0]
        source, _, cards = body.partition("\n--- card\n")
        card, _, older = cards.partition("\n--- on 0.10\n")
        yield Row(name, source.strip("\n"), card.strip("\n"), older.strip("\n") or None, schedule)


def written(rows_of_cell: list[Row]) -> str:
    """Return the text of a file that contains these rows."""
    texts = []
    for row in rows_of_cell:
        older = f"\n--- on 0.10\n{row.older}\n" if row.older is not None else ""
        schedule = f" ({row.schedule})" if row.schedule != SCHEDULES[0] else ""
        texts.append(f"=== {row.name}{schedule}\n{row.source}\n--- card\n{row.card}\n{older}")
    return "\n".join(texts)


class Cells:
    """A notebook that returns the card of a cell."""

    def __init__(self, notebook: Any) -> None:
        self._notebook = notebook
        self._built = notebook.builds()
        notebook.run(FIRST)
        namespace = notebook.shell.user_ns
        self._imported = {name: value for name, value in namespace.items() if not name.startswith("_")}

    def card(self, source: str) -> str:
        """Return the card of a cell, with the trials of its cures."""
        self._built.clear()
        # an earlier cell may have assigned to one of the imported names, such as `jnp`
        self._notebook.shell.user_ns.update(self._imported)
        cell = f"%%jaxpr\n{source}"
        ran = self._notebook.run(cell)
        if ran.result.error_in_exec is None:
            return "no error"
        document = self._built[-1].document
        notes = [note for note in document.notes if note.kind in _KINDS]
        failed = [str(note.detail) for note in document.notes if note.kind == "failed"]
        if len(notes) != 1 or failed:
            return "\n".join(["no card" if not notes else f"{len(notes)} cards", *failed])
        (note,) = notes
        lines = [f"marks: {_marked(cell, document, note)}", f"title: {note.title}", *_wrapped("text", note.text)]
        lines += _wrapped("cure", note.cure) if note.cure else []
        for cure in note.cures:
            lines.append(f"cure: {cure.name} ({cure.level})")
            lines += [f"    | {line}" for line in (cure.code or "").splitlines()]
            lines += textwrap.wrap(cure.text, 112, initial_indent="    ", subsequent_indent="    ")
            if cure.edits:
                lines.append(f"    gives: {self._tried(cell, document, cure)}")
        return re.sub(r"0x[0-9a-f]+|<ipython-input-[^>]*>", "0x", "\n".join(lines))

    def _tried(self, cell: str, document: Snapshot, cure: Cure) -> str:
        text = edited(cell, document, cure).partition("\n")[2]
        for name, value in FILLS.items():
            text = re.sub(rf"\b{name}\b", value, text) if cure.level == "choice" else text
        result = self._notebook.run(text).result
        error = result.error_in_exec or result.error_before_exec
        return f"{type(error).__name__}: {error}".partition("\n")[0] if error is not None else _value(result.result)


def edited(cell: str, document: Snapshot, cure: Cure) -> str:
    """Return a cell after the edits of a cure, which are all in this cell."""
    lines = cell.split("\n")
    frames = [(document.frames[edit.frame], edit.text) for edit in cure.edits]
    for frame, text in sorted(frames, key=lambda pair: (pair[0].line, pair[0].column), reverse=True):
        before, after = lines[frame.line - 1][: frame.column], lines[frame.end_line - 1][frame.end_column :]
        lines[frame.line - 1 : frame.end_line] = (before + text + after).split("\n")
    return "\n".join(lines)


def _marked(cell: str, document: Snapshot, note: Note) -> str:
    if note.frame < 0:
        return "nothing"
    frame = document.frames[note.frame]
    lines = cell.split("\n")[frame.line - 1 : frame.end_line]
    lines[-1] = lines[-1][: frame.end_column]
    lines[0] = lines[0][frame.column :]
    return " ".join(line.strip() for line in lines)


def _wrapped(name: str, text: str) -> list[str]:
    return textwrap.wrap(f"{name}: {text}", 116, subsequent_indent="    ")


def _value(result: Any) -> str:
    """Return the numbers in a result, rounded; random keys and other objects are left out."""
    leaves = [leaf for leaf in jax.tree_util.tree_leaves(result) if _is_number(leaf)]
    texts = [str(np.round(np.asarray(leaf, dtype=float), 3).tolist()) for leaf in leaves]
    return ", ".join(texts) or "nothing"


def _is_number(leaf: Any) -> bool:
    dtype = getattr(leaf, "dtype", None)  # a random key has no NumPy dtype
    return isinstance(leaf, bool | int | float) or (isinstance(dtype, np.dtype) and dtype.kind in "biuf")
