"""Prints the ledger as a table of 80 columns: functions with their counts, and their misses with the reasons."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...document.sentences.cache_tab_sentences import MORE_MISSES, NO_CALL, NO_CALL_IN_THREAD, OUTCOMES
from ...quantities import count, duration

if TYPE_CHECKING:
    from .ledger_rows import FunctionRecord, Miss

WIDTH = 80
_NAME = 30
_MISSES = 12
_HEAD = f"{'function':<{_NAME}}{'calls':>8}{'hits':>8}{'entries':>9}{'compiles':>10}{'price':>11}"


def table(
    functions: Sequence[FunctionRecord],
    note: str | None = None,
    elsewhere: Sequence[str] = (),
    unlisted: str | None = None,
    own_file: str | None = None,
    cells: Mapping[str, int | None] | None = None,
) -> str:
    """Return the table as a string; the misses of a function, with their reasons, are below the function."""
    note_lines = [line for sentence in (unlisted, note) if sentence for line in textwrap.wrap(sentence, WIDTH)]
    elsewhere_lines = textwrap.wrap(not_counted(elsewhere), WIDTH) if elsewhere else []
    if not functions:
        none = NO_CALL_IN_THREAD if elsewhere_lines else NO_CALL
        return "\n".join([*([] if unlisted else [none]), *note_lines, *elsewhere_lines])
    lines = [_HEAD, "-" * WIDTH]
    lines_text = Lines(functions, own_file, cells)
    for function in functions:
        lines += _rows(function, lines_text)
        misses = [miss for miss in function.misses if miss.outcome != "inlined"]
        for miss in misses[:_MISSES]:
            lines += _miss(miss, lines_text)
        if len(misses) > _MISSES:
            left_out_text = count(len(misses) - _MISSES, *MORE_MISSES)
            lines.append(f"    The list leaves out {left_out_text}.")
        if function.inlined:
            lines.append(f"    JAX inlined {count(function.inlined, 'call')} into the trace of another function.")
    lines += note_lines + elsewhere_lines
    return "\n".join(line.rstrip() for line in lines)


class Lines:
    """Writes line numbers as text, such as `line 4 of model.py`; the file of the block is left out.

    Args:
        functions: The functions of the ledger.
        own_file: The file of the block. With None, files are written if the functions are in several files.
        cells: File of a cell -> the n of In [n].
    """

    def __init__(
        self,
        functions: Sequence[FunctionRecord],
        own_file: str | None = None,
        cells: Mapping[str, int | None] | None = None,
    ) -> None:
        self._cells = cells or {}
        files = {miss.file for function in functions for miss in function.misses if miss.line is not None}
        files.update(function.file for function in functions if function.line is not None)
        only = next(iter(files)) if len(files) == 1 else None
        self._own_file = only if own_file is None else own_file

    def text(self, line: int | None, file: str | None) -> str:
        """Return the text of a line number, such as `line 4`, `line 4 of model.py` or `line 4 of cell [2]`."""
        if line is None:
            return "unknown line"
        if file is None or file == self._own_file:
            return f"line {line}"
        if "ipykernel_" in file or file.startswith("<ipython-input-"):
            number = self._cells.get(file)
            if number is not None:
                return f"line {line} of cell [{number}]"
            return f"line {line}" if self._own_file is None else f"line {line} of another cell"
        return f"line {line} of {os.path.basename(file)}"


def not_counted(elsewhere: Sequence[str]) -> str:
    """Return a sentence that names the functions which missed in other threads."""
    names = ", ".join(elsewhere[:5])
    return (
        f"Calls in other threads are not counted here: {names} missed the cache in another thread. Call the function "
        "in this thread to see what the call does."
    )


def _rows(function: FunctionRecord, places: Lines) -> list[str]:
    """Return the table row of a function: name, line and counts.

    A long name with its file gets a row of its own, above the row of the counts.
    """
    name, line = function.name, places.text(function.line, function.file)
    above = []
    if function.line is not None:
        name = f"{name} ({line})"
        if len(name) > _NAME - 1 and line != f"line {function.line}":
            above, name = textwrap.wrap(name, WIDTH), ""
    if len(name) > _NAME - 1:
        name = name[: _NAME - 2] + "…"
    bound = "" if function.calls_exact else "≥"
    calls, hits = (
        # a lower bound of 0 is written as unknown
        "unknown" if number is None or (bound and not number) else f"{bound}{number}"
        for number in (function.calls, function.hits)
    )
    price = duration(function.seconds).replace("\N{NO-BREAK SPACE}", " ") if function.seconds else ""
    is_known = all(entry.held is not None for entry in function.entries)
    entries = str(len(function.entries)) if is_known else "unknown"
    return [*above, f"{name:<{_NAME}}{calls:>8}{hits:>8}{entries:>9}{function.compiles:>10}{price:>11}"]


def _miss(miss: Miss, places: Lines) -> list[str]:
    """Return the table rows of a miss: first the line, the outcome and the seconds, then each reason."""
    price = duration(miss.seconds).replace("\N{NO-BREAK SPACE}", " ") if miss.seconds else ""
    labels = " · ".join(filter(None, (places.text(miss.line, miss.file), OUTCOMES[miss.outcome], price)))
    lines = textwrap.wrap(labels, WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 12, break_on_hyphens=False)
    for reason in miss.reasons:
        lines += textwrap.wrap(
            reason.text, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False
        )
    return lines
