"""Prints the notes on an unrolled loop, and applies the rewrite if its trial passed."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import jax
import numpy as np
from error_table.cards import FIRST, edited

from jupyter_jaxpr.build.cures.cure_trials import try_cures
from jupyter_jaxpr.document.types.cures import Cure
from jupyter_jaxpr.document.types.document import Note, Snapshot
from jupyter_jaxpr.observe.process_observer import observer

FOLDER = Path(__file__).parent
_KINDS = ("unrolled_loop", "short_loop")


class Cells:
    """A notebook that runs cells and returns their notes."""

    def __init__(self, notebook: Any) -> None:
        self._notebook = notebook
        self._built = notebook.builds()
        notebook.run(FIRST)
        self._names = set(notebook.shell.user_ns)

    def card(self, source: str) -> str:
        """Return the notes on the loops of a cell, with a trial of each rewrite that applies."""
        names = self._notebook.shell.user_ns
        for name in set(names) - self._names:  # removes the variables of earlier rows, which no row needs
            del names[name]
        cell = f"%%jaxpr\n{source}"
        result, document = self._run(cell)
        if document is None:
            return f"{type(result).__name__}: {result}"
        lines = []
        for note in _loops(document):
            lines += _wrapped("title", note.title or "")
            lines += _wrapped("cure", note.cure or "")
            if note.code is None:
                continue
            lines.append(f"code ({note.level}):")
            lines += [f"    | {line}".rstrip() for line in note.code.splitlines()]
            if note.edits:
                lines.append(f"    {self._tried(cell, note, document, result)}")
        failed = [str(note.detail) for note in document.notes if note.kind == "failed"]
        return "\n".join([*lines, *failed]) or "no loop"

    def _tried(self, cell: str, note: Note, document: Snapshot, result: Any) -> str:
        """Return the result of the edited cell, compared with the result of the original cell."""
        cure = Cure("rewrite", note.code, "", note.level, note.edits)
        outcome, after = self._run(edited(cell, document, cure))
        if after is None:
            return f"{type(outcome).__name__}: {outcome}"
        fewer = _equations(document), _equations(after)
        loops = len(_loops(document)), len(_loops(after))
        verdict = "equal values" if _is_equal(result, outcome) else f"other values: {outcome}"
        is_shorter = "fewer equations" if fewer[1] < fewer[0] else f"equations: {fewer[0]} -> {fewer[1]}"
        return f"loops: {loops[0]} -> {loops[1]}, {is_shorter}, {verdict}"

    def _run(self, cell: str) -> tuple[Any, Snapshot | None]:
        """Return the value of a cell and its document, or its error."""
        self._built.clear()
        ran = self._notebook.run(cell)
        error = ran.result.error_in_exec or ran.result.error_before_exec
        if error is not None:
            return error, None
        names = self._notebook.shell.user_ns
        return ran.result.result, try_cures(observer(), self._built[-1].sources, names)


def _loops(document: Snapshot) -> list[Note]:
    return [note for note in document.notes if note.kind in _KINDS]


def _equations(document: Snapshot) -> int:
    return sum(program.equations for program in document.programs)


def _wrapped(name: str, text: str) -> list[str]:
    return textwrap.wrap(f"{name}: {text}", 116, subsequent_indent="    ")


def _is_equal(value: Any, expected: Any) -> bool:
    leaves, expected_leaves = jax.tree_util.tree_leaves(value), jax.tree_util.tree_leaves(expected)
    close = [np.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(leaves, expected_leaves, strict=False)]
    return bool(leaves) and len(leaves) == len(expected_leaves) and all(close)
