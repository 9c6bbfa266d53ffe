"""Prints a document as a few lines of plain text, for terminals."""

from __future__ import annotations

import re

from ..document.copies.without_values import as_saved
from ..document.types.document import Snapshot
from ..quantities import NO_BREAK
from . import short_texts_of_run
from .cost_table import cost_text
from .sharding_tables import shardings_text
from .time_tables import time_text

#: The text of a document without a program and without a reason; the panel has the same text.
NO_PROGRAM = "This run has no program to show."

# Matches control characters of a terminal, which a name may contain.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def plain(document: Snapshot) -> str:
    """Return the lines on the program in focus and on the comparison of the run.

    The lines are the signature, the counts, the recompiles, the cost, the shardings, the times of up to three programs,
    and up to three lines of the comparison's verdict. A run without a program has its message instead.
    """
    document = as_saved(document)
    program = short_texts_of_run.shown_first(document)
    if program is None:
        return _line(document.message or document.cut or NO_PROGRAM)
    counts = short_texts_of_run.counts(document, program, other_programs=len(short_texts_of_run.exported(document)) - 1)
    lines = [str(short_texts_of_run.signature(program)), counts, *_recompiles(document)]
    costs = cost_text(document)
    if costs is not None:
        lines.append(costs.sentence)
    lines += [f"{spread.title}: {spread.sentence}" for spread in shardings_text(document)[:1] if spread.sentence]
    times = time_text(document)
    lines += [
        f"{program_times.name}: {program_times.sentence}"
        for program_times in (times.programs if times is not None else ())
    ][:3]
    if document.comparison is not None:
        lines += document.comparison.verdict[:3]
    return "\n".join(map(_line, lines))


def _recompiles(document: Snapshot) -> list[str]:
    """Return a line for each function that compiled in this run, unless it compiled only at its first call."""
    lines = []
    for function in document.ledger.functions if document.ledger is not None else ():
        recompiled = [miss for miss in function.misses if miss.this_run and miss.outcome == "compiled"]
        reasons = [reason for miss in recompiled for reason in miss.reasons if reason.kind != "first_call"]
        if reasons:
            first = reasons[0].text
            if len(reasons) > 1:
                lines.append(f"{function.name} compiled again for {len(reasons)} reasons. The first reason: {first}")
            else:
                lines.append(f"{function.name} compiled again. {first}")
    return lines[:3]


def _line(text: str) -> str:
    return _CONTROL.sub(" ", text).replace(NO_BREAK, " ")
